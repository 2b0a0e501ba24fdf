// Corrects the text in its place. A single editor serves all lines: Enter goes to the next
// line, the arrows to the lines above and below, and Escape gives up the change of a line.
// edit-save.js saves the changes.

import { notice } from "./base.js";
import { begin, change, choose, forget, pending, present, save, theirs } from "./edit-save.js";
import { t } from "./strings.js";

const link = document.getElementById("correct");
const text = document.getElementById("text");
const bar = document.getElementById("editing");
const state = document.getElementById("edit-state");
const editor = document.getElementById("editor"); // with the fields for words and speaker
const words = editor.querySelector("textarea");
const speaker = editor.querySelector("input");
const names = document.getElementById("speaker-names");

const { platform, externalId, language } = document.querySelector("article.transcript").dataset;
const path = `/web/v1/library/transcripts/${encodeURIComponent(platform)}/${encodeURIComponent(externalId)}?${new URLSearchParams({ language })}`;

let lines = [], numbers = []; // the elements of the lines, and their numbers in the text
let signedOut = false; // whether the last changes were not saved because the session has ended
let at = -1, before; // the line in the editor as an index of lines, and as it was

async function start() {
  let found;
  try {
    found = await begin({ path, account: link.dataset.account, told: { lines: shown, state: tell, replaced: again } });
  } catch (refusal) {
    if (refusal.status !== 401) notice(refusal.message);
    return;
  }
  const paragraphs = [...text.querySelectorAll("p")].filter((line) => line.querySelector("a"));
  numbers = [...found.segments.keys()].filter((n) => found.segments[n].text.trim());
  if (paragraphs.length !== numbers.length) {
    if (location.hash === "#edit") tell("changed"); // this page is new: it never fits
    else again();
    return;
  }
  lines = paragraphs;
  history.replaceState(null, "", "#edit");
  for (const [n, lost] of found.gone) {
    notice(t("transcript.edit.gone", { text: lost }), { ms: 3_600_000, action: t("transcript.edit.forget"), run() { forget(n); } });
  }
  document.body.classList.add("correcting");
  bar.hidden = false;
  link.setAttribute("aria-current", "true");
  shown(numbers);
  open(top());
}

// again loads the page again, and goes on there.
function again() {
  removeEventListener("beforeunload", guard);
  history.replaceState(null, "", "#edit");
  location.reload();
}

// top returns the first line that is not above the visible part.
function top() {
  const edge = document.getElementById("within").getBoundingClientRect().bottom;
  const part = [...text.children].find((part) => part.getBoundingClientRect().bottom > edge);
  return Math.max(lines.findIndex((line) => part?.contains(line) && line.getBoundingClientRect().bottom > edge), 0);
}

// open moves the editor to a line.
function open(to) {
  if (!lines[to]) return;
  shut();
  at = to;
  before = present(numbers[at]);
  fill(before);
  names.replaceChildren(...[...new Set(numbers.map((n) => present(n).speaker))].filter(Boolean).map((name) => new Option(name)));
  lines[at].classList.add("editing");
  lines[at].lastChild.before(editor);
  editor.hidden = false;
  words.setAttribute("aria-label", t("transcript.edit.line", { time: lines[at].querySelector("a").textContent }));
  words.focus({ preventScroll: true });
  lines[at].scrollIntoView({ block: "nearest" });
}

// shut puts the editor away.
function shut() {
  if (at < 0) return;
  lines[at].classList.remove("editing");
  editor.hidden = true;
  bar.after(editor);
  const left = at;
  at = -1;
  show(left);
}

function fill(line) {
  words.value = line.text;
  speaker.value = line.speaker;
  lines[at].lastChild.data = mirrored(line.text);
}

// mirrored is the text of the line under the editor, which gives the editor its height.
const mirrored = (text) => text + "\u200b";

// show shows a line as it is now, with its speaker and the choice of the reader.
function show(n) {
  const line = present(numbers[n]);
  if (n === at) {
    if (words.value !== line.text) words.value = line.text;
    if (speaker.value !== line.speaker) speaker.value = line.speaker;
  }
  const data = n === at ? mirrored(line.text) : " " + line.text;
  if (lines[n].lastChild.data !== data) lines[n].lastChild.data = data;
  head(n);
  if (n + 1 < lines.length) head(n + 1);
  offer(n);
}

function shown(changed) {
  const all = new Set(changed);
  for (let n = 0; n < lines.length; n++) if (all.has(numbers[n])) show(n);
  text.dispatchEvent(new Event("corrected"));
}

// head shows who begins to speak at a line.
function head(n) {
  const { speaker } = present(numbers[n]);
  const turn = speaker !== (n > 0 ? present(numbers[n - 1]).speaker : "");
  let heading = lines[n].previousElementSibling;
  if (!heading?.matches("h3")) heading = null;
  if (!turn) {
    heading?.remove();
    return;
  }
  if (!heading) {
    heading = document.createElement("h3");
    heading.append(document.createElement("bdi"));
    lines[n].before(heading);
  }
  const name = speaker || t("transcript.speaker.unknown");
  if (heading.textContent !== name) heading.firstElementChild.textContent = name;
}

// offer shows the choice between the reader's line and what others made of it.
function offer(n) {
  const other = theirs(numbers[n]);
  const shown = lines[n].nextElementSibling?.matches(".choice") ? lines[n].nextElementSibling : null;
  if (!other) {
    shown?.remove();
    return;
  }
  const choice = document.createElement("div");
  choice.className = "choice card stack";
  choice.setAttribute("role", "group");
  choice.setAttribute("aria-label", t("transcript.edit.clash"));
  const told = document.createElement("strong");
  told.textContent = t("transcript.edit.clash");
  choice.append(told, version("mine", n, present(numbers[n])), version("theirs", n, other));
  if (shown) shown.replaceWith(choice);
  else lines[n].after(choice);
}

function version(whose, n, line) {
  const row = document.createElement("div");
  const said = document.createElement("span");
  said.dir = "auto";
  said.textContent = line.speaker ? `${line.speaker}: ${line.text}` : line.text;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = t("transcript.edit.take." + whose);
  button.addEventListener("click", () => {
    choose(numbers[n], line);
    show(n);
    open(n);
  });
  row.className = "row";
  row.append(button, said);
  return row;
}

// tell shows how the changes stand.
function tell(now, why = "") {
  const told = t("transcript.edit.is." + now, { why });
  if (state.textContent !== told) state.textContent = told;
  state.dataset.is = now;
  if (now === "signedOut" || now === "saved") signedOut = now === "signedOut";
}

function typed() {
  const line = { text: words.value.trim(), speaker: speaker.value.trim() };
  lines[at].lastChild.data = mirrored(words.value);
  change(numbers[at], line);
}

editor.addEventListener("input", typed);

// Keyboards on a screen tell of Enter only by the line break that they insert.
let shift = false;
words.addEventListener("beforeinput", (event) => {
  if (event.inputType !== "insertLineBreak" || shift) return;
  event.preventDefault();
  next();
});

function next() {
  if (at + 1 < lines.length) open(at + 1);
  save();
}

editor.addEventListener("keydown", (event) => {
  shift = event.shiftKey;
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const single = words.scrollHeight < 2 * parseFloat(getComputedStyle(words).lineHeight);
  const start = single || words.selectionEnd === 0, end = single || words.selectionStart === words.value.length;
  if (event.target === speaker && event.key === "Enter") next();
  else if (event.key === "Escape") giveUp();
  else if (event.target === words && event.key === "ArrowUp" && start && at > 0) open(at - 1);
  else if (event.target === words && event.key === "ArrowDown" && end && at + 1 < lines.length) open(at + 1);
  else return;
  event.preventDefault();
});

// giveUp takes back the change of the line, or leaves the line if there is none.
function giveUp() {
  const now = present(numbers[at]);
  if (now.text === before.text && now.speaker === before.speaker) {
    const line = lines[at];
    shut();
    line.querySelector("a").focus();
    return;
  }
  fill(before);
  change(numbers[at], before);
  head(at);
}

function end() {
  shut();
  save();
  document.body.classList.remove("correcting");
  bar.hidden = true;
  link.removeAttribute("aria-current");
  history.replaceState(null, "", location.pathname + location.search);
  link.focus();
}

// A user who leaves in order to sign in again loses nothing, because the changes are kept.
function guard(event) { if (pending() && !signedOut) event.preventDefault(); }
addEventListener("beforeunload", guard);

document.getElementById("edit-done").addEventListener("click", end);
link.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.dataset.lines) location.assign(link.dataset.lines + "#edit");
  else if (bar.hidden) start();
  else end();
});

// In the edited text a click on the words of a line, or F2 on its time, opens the editor there.
text.addEventListener("click", (event) => {
  if (bar.hidden || event.target.closest("a, button, .choice, #editor")) return;
  const line = lines.indexOf(event.target.closest("p"));
  if (line < 0) return;
  event.preventDefault(); // or the recording plays the line
  open(line);
}, { capture: true });
text.addEventListener("keydown", (event) => {
  if (bar.hidden || event.key !== "F2") return;
  const line = lines.indexOf(event.target.closest("p"));
  if (line >= 0) open(line);
});

function arrive() { if (location.hash === "#edit" && bar.hidden) start(); }
addEventListener("hashchange", arrive);
arrive();
