// Tells a visitor who looks at another tab that work has ended: by the title of the tab and, if
// the visitor wants it, by a notification of the browser.

import { t } from "./strings.js";

const box = document.getElementById("tell");
const place = "tell"; // in the storage of the tab: the visitor wants to be told
const site = document.title.slice(document.title.lastIndexOf(" · "));

// wanted reports whether the visitor wants to be told when the work has ended.
export const wanted = () => Boolean(box?.checked);

if (box) {
  box.checked = remembered();
  if (box.checked) explain();
  box.addEventListener("change", async () => {
    remember(box.checked);
    explain(); // the visitor may leave the browser's question open
    if (box.checked && may() === "default") await Notification.requestPermission();
    explain();
  });
}

// may returns what the browser permits: "granted", "denied", "default" before the question, and
// "insecure" or "none" where there are no notifications.
function may() {
  if (!isSecureContext) return "insecure";
  return globalThis.Notification?.permission ?? "none";
}

function explain() {
  document.getElementById("tellHow").textContent = box.checked ? t("tell.how." + may()) : "";
}

// tell tells that work has ended. name is a title, or empty for work without one. A visitor who
// sees the page needs no word.
export function tell(name, says) {
  if (!document.hidden) return;
  const title = document.title;
  document.title = says + site;
  document.addEventListener("visibilitychange", () => { document.title = title; }, { once: true });
  if (!wanted() || may() !== "granted") return;
  try {
    const told = new Notification(name || says, { body: name ? says : "", tag: location.pathname });
    told.addEventListener("click", () => {
      window.focus();
      told.close();
    });
  } catch { /* some phones permit notifications to installed programs only; the title has told */ }
}

function remembered() {
  try {
    return sessionStorage.getItem(place) === "yes";
  } catch {
    return false; // no storage
  }
}

function remember(on) {
  try {
    on ? sessionStorage.setItem(place, "yes") : sessionStorage.removeItem(place);
  } catch { /* no storage: the next page does not know */ }
}
