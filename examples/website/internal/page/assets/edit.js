// Lets the reader correct the text where it stands. One line at a time can be edited, the one with
// the caret; it is also the text's only stop for the key Tab. The line is the browser's own plain
// text field, so undo, spelling and input methods work as everywhere. edit-save.js saves the
// changes, and the other modules of the desk begin after ready.

import { notice } from "./base.js";
import { all, begin, change, choose, forget, join, pending, present, save, split, theirs } from "./edit-save.js";
import { clock } from "./pause.js";
import { t } from "./strings.js";

const article = document.querySelector("article.transcript");
const text = document.getElementById("text");
const state = document.getElementById("edit-state");

const { platform, externalId, language, account } = article.dataset;

// path is the text's path in the API.
export const path = `/web/v1/library/transcripts/${encodeURIComponent(platform)}/${encodeURIComponent(externalId)}?${new URLSearchParams({ language })}`;

// lines are the elements of the lines, and numbers their numbers in the text.
export let lines = [], numbers = [];

let at = -1; // the line that can be edited
let typed = false; // whether other modules have not read the line since the reader typed
let signedOut = false; // whether the last changes were not saved because the session has ended

const fieldOf = (n) => lines[n].lastElementChild;

// ready is fulfilled when the text can be corrected; with false, if it cannot.
export const ready = start();

async function start() {
  let gone;
  try {
    gone = await begin({ path, account, told: { lines: shown, state: tell, replaced: again } });
  } catch (refusal) {
    if (refusal.status === undefined) throw refusal;
    if (refusal.status !== 401) tell("refused", refusal.message);
    return false;
  }
  lines = [...text.querySelectorAll(".para > p")];
  if (!renumber()) {
    if (performance.getEntriesByType("navigation")[0].type === "reload") tell("changed"); // this page is new: it never fits
    else again();
    return false;
  }
  for (const [n, lost] of gone) {
    notice(t("transcript.edit.gone", { text: lost }), { ms: 3_600_000, action: t("transcript.edit.forget"), run() { forget(n); } });
  }
  shown(numbers);
  text.classList.add("edited");
  enter(Math.max(lines.indexOf(text.querySelector("p.here")), 0));
  return true;
}

// renumber takes over the numbers of the lines, and reports whether each element has one.
function renumber() {
  numbers = [...all().keys()].filter((n) => all()[n].text.trim());
  return numbers.length === lines.length;
}

// again loads the page again.
function again() {
  removeEventListener("beforeunload", guard);
  location.reload();
}

// enter makes a line the one that can be edited. With an offset, the caret goes there.
export function enter(n, offset) {
  if (!lines[n]) return;
  if (n !== at) {
    leave();
    at = n;
    const attributes = { contenteditable: "plaintext-only", role: "textbox", "aria-multiline": "true", "aria-describedby": "edit-keys", "aria-label": t("transcript.edit.line", { time: lines[n].firstElementChild.textContent }) };
    for (const [name, value] of Object.entries(attributes)) fieldOf(n).setAttribute(name, value);
  }
  if (offset === undefined) return;
  fieldOf(n).focus({ preventScroll: true });
  put(Math.min(offset, fieldOf(n).textContent.length));
  lines[n].scrollIntoView({ block: "nearest" });
}

function leave() {
  if (at < 0) return;
  const left = at;
  at = -1;
  for (const name of ["contenteditable", "role", "aria-multiline", "aria-describedby", "aria-label"]) fieldOf(left).removeAttribute(name);
  show(left);
  if (typed) tellOthers();
}

// caret returns the place of the caret in the edited line; -1 if it is elsewhere, or something is selected.
function caret() {
  const { isCollapsed, focusNode, focusOffset } = getSelection();
  if (at < 0 || !isCollapsed || !fieldOf(at).contains(focusNode)) return -1;
  const range = new Range();
  range.selectNodeContents(fieldOf(at));
  range.setEnd(focusNode, focusOffset);
  return range.toString().length;
}

function put(offset) {
  const field = fieldOf(at);
  field.normalize();
  if (field.firstChild) getSelection().collapse(field.firstChild, Math.min(offset, field.firstChild.length));
  else getSelection().collapse(field, 0);
}

// current returns the line of the caret.
export const current = () => at;

// show shows a line as it is now, with its speaker and the choice of the reader.
function show(n, next = true) {
  const line = present(numbers[n]), field = fieldOf(n);
  if (!composing && field.textContent.trim() !== line.text) {
    const place = n === at && document.activeElement === field ? caret() : -1;
    field.textContent = line.text;
    if (place >= 0) put(place);
  }
  head(n);
  if (next && n + 1 < lines.length) head(n + 1);
  offer(n);
}

// shown shows lines by their numbers in the text.
export function shown(changed) {
  const which = new Set(changed);
  for (let n = 0; n < lines.length; n++) if (which.has(numbers[n])) show(n, !which.has(numbers[n + 1]));
  tellOthers();
}

// tellOthers has other modules read the text again.
function tellOthers() {
  typed = false;
  text.dispatchEvent(new Event("corrected"));
}

// set changes lines by their places in the page: entries have the place, and members of the line.
export function set(entries) {
  change(new Map(entries.map(([n, members]) => [numbers[n], { ...present(numbers[n]), ...members }])));
  shown(entries.map(([n]) => numbers[n]));
}

// Speakers. A tone is the number of a speaker's color.

const tones = new Map();

// toneOf returns the tone of a speaker. A new speaker gets a tone, the next one if none is proposed.
export function toneOf(name, proposed = tones.size % 8 + 1) {
  if (!name) return 0;
  if (!tones.has(name)) tones.set(name, proposed);
  return tones.get(name);
}

// voices returns how many lines each speaker has, by their names in the order of the text.
export function voices() {
  const counts = new Map();
  for (const n of numbers) {
    const { speaker } = present(n);
    if (speaker) counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
  }
  return counts;
}

// head shows who begins to speak at a line.
function head(n) {
  const { speaker } = present(numbers[n]);
  const tone = toneOf(speaker);
  const first = !lines[n].previousElementSibling;
  const turn = speaker !== (n > 0 ? present(numbers[n - 1]).speaker : "");
  if (turn && !first) breakBefore(n);
  const paragraph = lines[n].parentElement;
  let heading = paragraph.previousElementSibling;
  if (!heading?.matches("h3") || !turn && !first) heading = null;
  if (!turn) {
    heading?.remove();
    return;
  }
  if (!heading) {
    heading = document.createElement("h3");
    heading.append(document.createElement("bdi"));
    paragraph.before(heading);
  }
  const name = speaker || t("transcript.speaker.unknown");
  if (heading.textContent !== name) heading.firstElementChild.textContent = name;
  heading.dataset.tone = tone;
}

// breakBefore begins a paragraph with a line.
function breakBefore(n) {
  const paragraph = document.createElement("div"), old = lines[n].parentElement;
  paragraph.className = "para";
  old.after(paragraph);
  for (let next = lines[n]; next;) {
    const moved = next;
    next = next.nextSibling;
    paragraph.append(moved);
  }
}

// A split ends a turn as a change of the speaker does, so that the reader can give what follows to somebody else.
const cuts = new WeakSet();
const begins = (n) => n === 0 || cuts.has(lines[n]) || present(numbers[n]).speaker !== present(numbers[n - 1]).speaker;

// give gives the turn with the caret to a speaker.
export function give(name) {
  if (at < 0 || !name) return;
  let first = at, end = at + 1;
  while (!begins(first)) first--;
  while (end < lines.length && !begins(end)) end++;
  const turn = [];
  for (let n = first; n < end; n++) turn.push([n, { speaker: name }]);
  set(turn);
  save();
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
    enter(n, line.text.length);
  });
  row.className = "row";
  row.append(button, said);
  return row;
}

// tell shows how the changes stand.
export function tell(now, why = "") {
  const told = t("transcript.edit.is." + now, { why });
  if (state.textContent !== told) state.textContent = told;
  state.dataset.is = now;
  if (now === "signedOut" || now === "saved") signedOut = now === "signedOut";
}

// A user who leaves in order to sign in again loses nothing, because the changes are kept.
function guard(event) { if (pending() && !signedOut) event.preventDefault(); }
addEventListener("beforeunload", guard);

// Typing.

const edits = (event) => at >= 0 && event.target === fieldOf(at);

let composing = false;
text.addEventListener("compositionstart", () => { composing = true; });
text.addEventListener("compositionend", () => { composing = false; });

text.addEventListener("input", (event) => {
  if (!edits(event)) return;
  typed = true;
  change(new Map([[numbers[at], { ...present(numbers[at]), text: fieldOf(at).textContent.trim() }]]));
});

// While the service splits or joins lines, typed characters wait.
let busy = false, waiting = "", shift = false;

text.addEventListener("beforeinput", (event) => {
  if (!edits(event)) return;
  if (busy) {
    waiting += event.data ?? "";
    event.preventDefault();
  } else if ((event.inputType === "insertParagraph" || event.inputType === "insertLineBreak") && !shift) {
    event.preventDefault(); // keyboards on a screen tell of Enter only here
    if (caret() >= 0) divide(caret());
  }
});

async function restructure(change, after) {
  busy = true;
  try {
    await change();
    after();
    if (!renumber()) again();
    tellOthers();
  } catch (refusal) {
    if (refusal.status === undefined) throw refusal;
    if (refusal.status !== 401) notice(refusal.message);
  } finally {
    busy = false;
  }
  if (waiting) document.execCommand("insertText", false, waiting);
  waiting = "";
}

// divide splits the line at the caret. At its end it goes to the next line.
function divide(place) {
  const n = at, words = fieldOf(n).textContent;
  const head = words.slice(0, place).trimStart();
  if (!words.slice(place).trim()) {
    enter(n + 1, 0);
    save();
    return;
  }
  if (!head.trim()) return;
  restructure(() => split(numbers[n], head.length), () => {
    const line = all()[numbers[n] + 1];
    lines.splice(n + 1, 0, lineAfter(lines[n], line));
    renumber();
    cuts.add(lines[n + 1]);
    breakBefore(n + 1);
    show(n);
    show(n + 1);
    enter(n + 1, 0);
  });
}

// lineAfter makes the element of a new line after another one.
function lineAfter(element, line) {
  const made = element.cloneNode(false), time = element.firstElementChild.cloneNode(), words = document.createElement("span");
  made.id = `t=${line.start}`;
  time.textContent = clock(line.start);
  time.setAttribute("href", time.getAttribute("href").replace(/\bt=[\d.]+/, (at) => at.includes(".") || time.hash ? `t=${line.start}` : `t=${Math.floor(line.start)}`));
  words.textContent = line.text.trim();
  made.append(time, " ", words);
  element.after("\n", made);
  return made;
}

// unite joins the line with the caret to the line before it.
function unite() {
  const n = at, { length } = present(numbers[n]).text;
  if ( numbers[n] !== numbers[n - 1] + 1) return;
  restructure(() => join(numbers[n]), () => {
    const gone = lines[n], paragraph = gone.parentElement;
    leave();
    lines.splice(n, 1);
    renumber();
    gone.remove();
    if (!paragraph.querySelector("p")) {
      if (paragraph.previousElementSibling?.matches("h3")) paragraph.previousElementSibling.remove();
      paragraph.remove();
    }
    show(n - 1);
    enter(n - 1, present(numbers[n - 1]).text.length - length);
  });
}

// Keys. Those of the player are in player.js.

text.addEventListener("keydown", (event) => {
  shift = event.shiftKey;
  if (!edits(event) || event.isComposing || event.metaKey) return;
  const digit = event.ctrlKey !== event.altKey && /^[1-9]$/.test(event.key);
  if (digit) give([...voices().keys()][event.key - 1]);
  else if (event.ctrlKey || event.altKey || event.shiftKey || !acts[event.key]?.()) return;
  event.preventDefault();
});

// Each returns whether it has done something.
const acts = {
  Escape() {
    save();
    if (typed) tellOthers();
    (document.querySelector("#play, #open-at") ?? document.getElementById("after")).focus();
    return true;
  },
  Backspace() {
    if (caret() !== 0 || at === 0) return false;
    unite();
    return true;
  },
  ArrowLeft: () => caret() === 0 && step(-1),
  ArrowRight: () => caret() === fieldOf(at).textContent.length && step(1),
  ArrowUp: () => climb(-1),
  ArrowDown: () => climb(1),
};

function step(by) {
  if (!lines[at + by]) return false;
  enter(at + by, by > 0 ? 0 : Infinity);
  return true;
}

// climb goes from the first row of a line up, and from its last row down.
function climb(by) {
  const rows = [...fieldOf(at).getClientRects()], row = by < 0 ? rows[0] : rows.at(-1);
  const box = caretBox() ?? row;
  if (!row || Math.abs(box.bottom - row.bottom) > row.height / 2) return false;
  return go(box.left, by < 0 ? row.top - row.height / 2 : row.bottom + row.height / 2) || step(by);
}

function caretBox() {
  const { rangeCount } = getSelection();
  return rangeCount ? [...getSelection().getRangeAt(0).getClientRects()][0] : null;
}

// go puts the caret at a point of the screen, if another line is there.
function go(x, y) {
  const found = document.caretPositionFromPoint?.(x, y);
  const line = lines.indexOf(found?.offsetNode.parentElement.closest("p"));
  if (line < 0 || line === at || found.offsetNode.parentElement !== fieldOf(line)) return false;
  enter(line, found.offset);
  return true;
}

// The search ends with the words that it is at.
text.addEventListener("take", (event) => {
  const { startContainer, startOffset, endOffset } = event.detail ?? {};
  const line = lines.indexOf(event.target);
  if (line < 0 || at < 0 || startContainer?.parentElement !== fieldOf(line)) return;
  event.preventDefault();
  enter(line, startOffset);
  getSelection().setBaseAndExtent(startContainer, startOffset, startContainer, endOffset);
});

// A click puts the caret. What is dragged over is selected, over lines too.
text.addEventListener("click", (event) => {
  if (at < 0 || busy || event.target.closest("a, button, .choice, [contenteditable]") || !getSelection().isCollapsed) return;
  const line = lines.indexOf(event.target.closest("p"));
  if (line < 0) return;
  if (!go(event.clientX, event.clientY)) enter(line, Infinity);
});
document.getElementById("begin").addEventListener("focus", () => { if (at >= 0) enter(at, 0); });
