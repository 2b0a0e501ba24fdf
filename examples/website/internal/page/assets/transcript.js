// The text of a transcript: a #t=SECONDS in the address leads to its line, also where no
// line begins at just that moment, and each line has a button that copies its link.

import { notice } from "./base.js";
import { copy } from "./copy.js";
import { t } from "./strings.js";

const text = document.getElementById("text");

// On a wide screen there is room for all folds beside the text: they are open from the
// beginning, for eyes and for screen readers alike.
if (matchMedia("(min-width: 62rem) and (min-height: 40rem)").matches) {
  for (const fold of document.querySelectorAll("details.roomy")) fold.open = true;
}

const secondsOf = (line) => Number(line.id.slice(2)); // of id="t=SECONDS"

// lineAt is the last line that has begun by then; the first where none has.
function lineAt(seconds) {
  const lines = text.querySelectorAll("p[id]");
  let first = 0, last = lines.length;
  while (last - first > 1) {
    const middle = (first + last) >> 1;
    if (secondsOf(lines[middle]) <= seconds) first = middle;
    else last = middle;
  }
  return lines[first];
}

// mark shows which line is meant.
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

// One button for all lines: it goes to where the pointer or the keyboard is.
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

// What was deleted has no page.
document.addEventListener("deleted", () => location.replace("/library"));
