// Waits, and formats durations and sizes in words.

import { t } from "./strings.js";

// pause formats seconds as seconds, minutes or hours, rounded up.
export function pause(seconds) {
  const s = Math.max(Math.ceil(seconds), 1);
  if (s < 100) return t("span.seconds", { count: s });
  if (s < 6000) return t("span.minutes", { count: Math.ceil(s / 60) });
  return t("span.hours", { count: Math.ceil(s / 3600) });
}

// clock formats a time of a recording, as 1:02:03 or 2:03.
export function clock(seconds) {
  const s = Math.max(Math.floor(seconds), 0), two = (n) => String(n).padStart(2, "0");
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

// size formats a number of bytes: 4 GiB, 1.5 KiB.
export function size(bytes) {
  let unit = 0;
  for (; bytes >= 1024 && unit < 4; unit++) bytes /= 1024;
  return t(`size.${unit}`, { count: bytes });
}

// backoff returns the seconds to wait after that many failures in a row: 1, 2, 4 … 30. Each is
// shortened by up to a half at random, so that many pages do not come back at once.
export function backoff(failures) {
  return Math.min(2 ** (failures - 1), 30) * (1 - Math.random() / 2);
}

// sleep waits for a number of seconds, or until the page is visible or online again.
export function sleep(seconds) {
  return new Promise((resolve) => {
    const wake = () => {
      if (document.hidden || !navigator.onLine) return;
      done();
    };
    const done = () => {
      clearTimeout(timer);
      for (const [on, name] of signs) on.removeEventListener(name, wake);
      resolve();
    };
    const signs = [[document, "visibilitychange"], [window, "online"], [window, "pageshow"]];
    const timer = setTimeout(done, seconds * 1000);
    for (const [on, name] of signs) on.addEventListener(name, wake);
  });
}

// looked waits until the page is visible.
export async function looked() {
  while (document.hidden) await new Promise((resolve) => { document.addEventListener("visibilitychange", resolve, { once: true }); });
}
