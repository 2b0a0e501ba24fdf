// Plays the recording of a text in step with the text: marks the spoken line and word, goes to a line
// that the reader clicks, and answers to keys. Without this module the browser's own player works.

import { shownTo, signedOut } from "./base.js";
import { clock } from "./pause.js";
import { lineAt, mark } from "./transcript.js";
import { t } from "./strings.js";

const text = document.getElementById("text");
const audio = document.getElementById("audio");
const button = document.getElementById("play");
const time = document.getElementById("play-time");
const speed = document.getElementById("play-speed");
const keys = document.getElementById("play-keys");
const told = document.getElementById("play-told");

const jump = 5; // seconds

// The spoken line. The page follows it as long as the reader can see it: a reader who has scrolled
// away is left alone.
let spoken = null;
let typed = -Infinity; // when the reader typed last, in milliseconds
const rest = 3_000; // milliseconds: after that time a reader who has typed only listens

text.addEventListener("input", () => { typed = performance.now(); });

function follow() {
  time.textContent = clock(audio.currentTime);
  const line = audio.currentTime > 0 || audio.played.length > 0 ? lineAt(audio.currentTime) : null;
  if (!line || line === spoken) return;
  const watched = spoken && isSeen(spoken);
  spoken?.removeAttribute("aria-current");
  spoken = line;
  spoken.setAttribute("aria-current", "true");
  if (watched && performance.now() - typed > rest) bring();
}

const top = () => document.getElementById("within").getBoundingClientRect().bottom;
const bottom = () => document.getElementById("player").getBoundingClientRect().top;

function isSeen(line) {
  const box = line.getBoundingClientRect();
  return box.bottom > top() && box.top < bottom();
}

// bring scrolls to the spoken line, unless all of the line can be seen.
function bring() {
  if (!spoken) return;
  const box = spoken.getBoundingClientRect();
  if (box.top >= top() && box.bottom <= bottom()) return;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches || Math.abs(box.top) > 2 * innerHeight;
  spoken.scrollIntoView({ block: "center", behavior: still ? "instant" : "smooth" });
}

// The browser tells the time a few times a second, and a line may begin in between.
let next = 0;
audio.addEventListener("timeupdate", () => {
  follow();
  clearTimeout(next);
  if (!audio.paused) next = setTimeout(follow, 120);
});
audio.addEventListener("seeked", follow);
audio.addEventListener("play", follow);

async function play() {
  if (audio.error) { // the recording may be reached again
    const at = audio.currentTime;
    audio.load();
    audio.currentTime = at;
  }
  try {
    await audio.play();
    told.textContent = "";
  } catch { /* the event of the error tells the reason; a pause is none */ }
}

const toggle = () => audio.paused ? play() : audio.pause();
button.addEventListener("click", toggle);
for (const event of ["play", "pause"]) audio.addEventListener(event, () => { button.ariaPressed = String(!audio.paused); });

// again says the spoken sentence again.
function again() {
  const lines = [...text.querySelectorAll("p[id]")];
  let n = Math.max(lines.indexOf(lineAt(audio.currentTime)), 0);
  while (n > 0 && !/[.!?…。！？؟]["'”’»)\]]*\s*$/.test(lines[n - 1].lastElementChild.textContent)) n--;
  audio.currentTime = Number(lines[n]?.id.slice(2));
  play();
}

function skip(seconds) {
  audio.currentTime = Math.min(Math.max(audio.currentTime + seconds, 0), audio.duration || 0);
}

document.getElementById("play-back").addEventListener("click", () => skip(-jump));
document.getElementById("play-line").addEventListener("click", bring);

// A click on the time of a line plays the line, and its address becomes the page's. A click on its
// words goes there.
text.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.target.closest("button, .choice")) return;
  const link = event.target.closest("p")?.querySelector('a[href^="#t="]');
  const plays = event.target.closest("a");
  if (!link || !plays && !getSelection().isCollapsed) return;
  if (plays) {
    event.preventDefault();
    history.replaceState(null, "", link.hash);
    mark(null);
  }
  audio.currentTime = Number(link.hash.slice(3));
  if (plays) play();
});

// In the edited line Tab is for the player, because hands stay on the keys. Escape leaves the line.
text.addEventListener("keydown", (event) => {
  if (event.key !== "Tab" || audio.hidden || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || !event.target.matches("[contenteditable]")) return;
  event.preventDefault();
  if (event.shiftKey) again();
  else if (!event.repeat) toggle();
});

function goToHash() {
  const found = /^#t=([\d.]+)$/.exec(location.hash);
  if (found) audio.currentTime = Number(found[1]);
}
addEventListener("hashchange", goToHash);
goToHash();

// The speed, and whether keys are in use, are remembered where the browser has a storage.

function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch { /* the choice is good for this page only */ }
}

function setSpeed(option) {
  if (!option) return;
  speed.value = option.value;
  audio.playbackRate = audio.defaultPlaybackRate = Number(option.value);
}

function changeSpeed(option) {
  if (!option) return;
  setSpeed(option);
  told.textContent = t("transcript.play.now", { speed: option.text });
  remember("play.speed", option.value);
}

speed.addEventListener("change", () => changeSpeed(speed.selectedOptions[0]));
setSpeed([...speed.options].find(({ value }) => value === remembered("play.speed")));

keys.checked = remembered("play.keys") !== "off";
keys.addEventListener("change", () => remember("play.keys", keys.checked ? "on" : "off"));
audio.controls = false;

const acts = {
  " ": toggle, k: toggle,
  arrowleft: () => skip(-jump), j: () => skip(-jump),
  arrowright: () => skip(jump), l: () => skip(jump),
  "<": () => changeSpeed(speed.options[speed.selectedIndex - 1]),
  ">": () => changeSpeed(speed.options[speed.selectedIndex + 1]),
};

const isField = (element) => Boolean(element?.closest("input:not([type=checkbox], [type=range]), textarea, select, dialog, [contenteditable]"));

// ownKeys reports whether an element has a use of its own for a key.
const ownKeys = (element, key) => isField(element) || !/^[a-z<>]$/.test(key) && Boolean(element.closest("audio, button, summary, input"));

addEventListener("keydown", (event) => {
  const key = event.key.toLowerCase();
  const act = acts[key];
  if (!act || !keys.checked || audio.hidden || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!(event.target instanceof Element) || ownKeys(event.target, key)) return;
  event.preventDefault();
  if (act !== toggle || !event.repeat) act();
});

// A recording that cannot be played is explained. One that is gone has no player any more.

async function explain() {
  let status = 0;
  try {
    ({ status } = await fetch(audio.currentSrc, { method: "HEAD", headers: shownTo }));
  } catch { /* there is no answer */ }
  if (status === 401) signedOut();
  if (status === 404 || status === 410) return end();
  told.textContent = status === 0 ? t("problem.lost") : status === 401 ? t("problem.signedOut") : t("transcript.play.failed");
}
audio.addEventListener("error", explain);
if (audio.error) explain(); // it was faster than this module

function end() {
  audio.pause();
  audio.hidden = true;
  for (const part of document.querySelectorAll("#play-tools, .strip")) part.hidden = true;
  spoken?.removeAttribute("aria-current");
  text.classList.remove("plays");
  told.textContent = t("transcript.play.gone");
}

document.addEventListener("deleted", ({ target }) => { if (target.matches(".kept")) end(); });

text.classList.add("plays");
