// Lists the recordings that were not finished: the page was loaded again, or the browser ended.

import { clock } from "./pause.js";
import { perSecond } from "./record-sound.js";
import { t } from "./strings.js";

// offer fills a list. choose is called with a recording and with "goOn", "finish" or "discard".
export function offer(list, recordings, choose) {
  list.replaceChildren(...recordings.map((recording) => row(recording, choose)));
}

function row(recording, choose) {
  const { name, bytes, sent, ended } = recording, line = document.createElement("li"), actions = part("span", "", "row");
  for (const what of ended ? ["finish", "discard"] : ["goOn", "finish", "discard"]) {
    const button = part("button", t("record.left." + what));
    button.type = "button";
    button.setAttribute("aria-label", `${t("record.left." + what)}: ${name}`);
    button.addEventListener("click", () => choose(recording, what));
    actions.append(what === "discard" ? confirm(name, button) : button);
  }
  const times = { time: clock(bytes / perSecond), unsent: clock((bytes - sent) / perSecond) };
  line.append(part("span", name, "name"), part("span", bytes > sent ? t("record.left.unsent", times) : t("record.left.sent", times), "hint"), actions);
  return line;
}

// confirm folds a button away.
function confirm(name, button) {
  const fold = part("details", "", "confirm"), summary = part("summary", t("record.discard"), "button danger");
  summary.setAttribute("aria-label", `${t("record.discard")}: ${name}`);
  fold.append(summary, button);
  return fold;
}

function part(kind, text, style = "") {
  const made = document.createElement(kind);
  made.textContent = text;
  made.className = style;
  return made;
}
