// The text of a transcript: #t=SECONDS in the address leads to its line, even if no line begins
// at exactly that time. Each line has a button that copies its link.

import { notice } from "./base.js";
import { copy } from "./copy.js";
import { t } from "./strings.js";

const text = document.getElementById("text");

const secondsOf = (line) => Number(line.id.slice(2)); // of id="t=SECONDS"

// lineAt returns the last line that has begun by then; the first line if none has.
export function lineAt(seconds) {
  const lines = text.querySelectorAll("p[id]");
  let first = 0, last = lines.length;
  while (last - first > 1) {
    const middle = (first + last) >> 1;
    if (secondsOf(lines[middle]) <= seconds) first = middle;
    else last = middle;
  }
  return lines[first];
}

// mark highlights a line.
export function mark(line) {
  text.querySelector(".here")?.classList.remove("here");
  line?.classList.add("here");
}

function followHash() {
  const found = /^#t=([\d.]+)$/.exec(location.hash);
  const line = found && lineAt(Number(found[1]));
  mark(line);
  line?.scrollIntoView({ block: "center" });
}

addEventListener("hashchange", followHash);
if (location.hash) followHash();

// A rail that was opened as a sheet is closed where the screen has room for it, and after a chapter is chosen.
const rail = document.getElementById("rail");
function shut() { if (rail.matches(":popover-open")) rail.hidePopover(); }
matchMedia("(min-width: 62rem)").addEventListener("change", shut);
rail.addEventListener("click", ({ target }) => { if (target.closest(".chapters a")) shut(); });

// The times are one stop for the key Tab, and the arrows go from one to the next. Where the text can be
// corrected, a line of it is that stop (edit.js).
const times = [...text.querySelectorAll("p > a")];
for (const link of times) link.tabIndex = -1;
const corrected = document.getElementById("edit-state");
if (!corrected && times.length) times[0].tabIndex = 0;
text.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || corrected || !event.target.matches("p > a") || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  let to = times.indexOf(event.target) + by;
  while (times[to] && !times[to].offsetParent) to += by;
  if (!times[to]) return;
  event.target.tabIndex = -1;
  times[to].tabIndex = 0;
  times[to].focus();
});

// A question mark outside of fields shows all keys.
addEventListener("keydown", (event) => {
  if (event.key !== "?" || event.ctrlKey || event.metaKey || event.target.closest?.("input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]")) return;
  document.getElementById("keys")?.togglePopover();
});

// The other view of the text begins at the line that is at the top of the screen.
document.getElementById("views").addEventListener("click", ({ target }) => {
  if (!target.matches("a") || text.getBoundingClientRect().top > 0) return;
  const top = document.getElementById("within").getBoundingClientRect().bottom;
  const isBelow = (element) => element.getBoundingClientRect().bottom > top;
  const part = [...text.children].find(isBelow);
  const line = part && [...part.querySelectorAll("p[id]")].find(isBelow);
  if (line) target.hash = line.id;
});

// One button serves all lines: it moves to the line of the pointer or the keyboard.
const button = document.createElement("button");
button.type = "button";
button.className = "copylink";
button.textContent = "#";
button.ariaLabel = button.title = t("transcript.copy.link");
button.addEventListener("click", async () => {
  const line = button.closest("p");
  try {
    await copy(line.querySelector("a").href);
    notice(t("transcript.copy.done"));
  } catch {
    notice(t("transcript.copy.failed"));
  }
});

function offer(event) {
  const line = event.target.closest?.("#text p[id]");
  if (line && !line.contains(button)) line.firstChild.after(button);
}
text.addEventListener("pointerover", offer);
text.addEventListener("focusin", offer);

// A deleted text has no page.
document.addEventListener("deleted", ({ target }) => { if (target.matches("article")) location.replace("/library"); });
