// Searches in the text while the reader types. Case, accents, white space and forms of quotes
// do not matter, and a match may continue in the next line.
//
// The whole text is folded into one string, in which a search takes a millisecond or two. Only
// matches near the visible part are drawn. If the browser cannot draw ranges, their lines are
// marked.

import { mark } from "./transcript.js";
import { t } from "./strings.js";

const text = document.getElementById("text");
const form = document.getElementById("within");
const words = document.getElementById("within-words");
const count = document.getElementById("within-count");
const back = document.getElementById("within-back");
const next = document.getElementById("within-next");

// pause lets the browser do other work after a slice of time.
const slice = 8; // milliseconds
let begun = 0;
const due = () => performance.now() - begun > slice;
async function pause() {
  await (globalThis.scheduler?.yield?.() ?? new Promise((go) => setTimeout(go)));
  begun = performance.now();
}

// fold converts a text into its searchable form, like the search in the library.
const marks = /[\p{Mn}\p{Me}]/gu;
function fold(s) {
  s = s.replace(/\s+/g, " ");
  if (/^[\x20-\x7e]*$/.test(s)) return s.toLowerCase();
  return s.normalize("NFKD").replace(marks, "").toUpperCase().toLowerCase()
    .replace(/ς/g, "σ").replace(/[‘’ʼ]/g, "'").replace(/[“”„]/g, '"').replace(/\s+/g, " ");
}

// Scripts without spaces between words continue in the next line without a space.
const closed = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

// index is the folded text with the start of each line, made on first use.
let index;
async function read() {
  begun = performance.now();
  const lines = [...text.querySelectorAll(".para > p")];
  const starts = new Uint32Array(lines.length);
  const pieces = [];
  let length = 0, last = "";
  for (let n = 0; n < lines.length; n++) {
    const folded = fold(lines[n].lastElementChild.textContent).trim();
    if (n > 0 && !(closed.test(last.slice(-1)) && closed.test(folded.charAt(0)))) {
      pieces.push(" ");
      length++;
    }
    starts[n] = length;
    pieces.push(folded);
    length += folded.length;
    last = folded;
    if (n % 64 === 0 && due()) await pause();
  }
  return { lines, starts, all: pieces.join("") };
}

// lineOf returns the number of the line at a place of the folded text.
function lineOf(place) {
  const { starts } = index.done;
  let first = 0, last = starts.length;
  while (last - first > 1) {
    const middle = (first + last) >> 1;
    if (starts[middle] <= place) first = middle;
    else last = middle;
  }
  return first;
}

// inText returns the place in the text for a place of a folded line. It remembers all places of
// the last line.
let remembered = {};
function inText(line, place) {
  if (remembered.line !== line) {
    const data = index.done.lines[line].lastElementChild.textContent;
    const plain = /^[\x21-\x7e]( ?[\x21-\x7e])*$/.test(data.trim());
    const at = [];
    if (!plain) {
      let from = 0, space = true; // white space at the start is trimmed
      for (const { segment } of clusters(data)) {
        const folded = fold(segment);
        const blank = folded === " ";
        if (!blank || !space) for (let n = 0; n < folded.length; n++) at.push(from);
        if (folded !== "") space = blank;
        from += segment.length;
      }
      at.push(data.trimEnd().length);
    }
    remembered = { line, at, plain, from: data.length - data.trimStart().length };
  }
  return remembered.plain ? remembered.from + place : remembered.at[Math.min(place, remembered.at.length - 1)];
}

// clusters returns the characters of a text as people see them, which are folded as units.
const segmenter = globalThis.Intl?.Segmenter && new Intl.Segmenter();
const clusters = (data) => segmenter ? segmenter.segment(data) : [...data].map((segment) => ({ segment }));

// The places of the matches, as offsets in the folded text, and the index of the present match.
let found = [], length = 0, at = -1;
let latest = 0; // number of the latest search: earlier ones end

async function search() {
  const mine = ++latest;
  const query = fold(words.value).trim();
  index ??= read().then((done) => (index.done = done));
  const { all } = await index;
  const places = [];
  begun = performance.now();
  if (query) {
    for (let place = all.indexOf(query); place >= 0; place = all.indexOf(query, place + query.length)) {
      places.push(place);
      if (places.length % 1024 === 0 && due()) {
        await pause();
        if (mine !== latest) return;
      }
    }
  }
  if (mine !== latest) return;
  found = places;
  length = query.length;
  at = found.length ? ahead() : -1;
  text.dispatchEvent(new CustomEvent("found", { detail: found.map((place) => index.done.lines[lineOf(place)]) }));
  show();
}

// ahead returns the first match that is not above the visible part.
function ahead() {
  const top = form.getBoundingClientRect().bottom;
  const part = [...text.children].findIndex((part) => part.getBoundingClientRect().bottom > top);
  const line = text.children[Math.max(part, 0)].querySelector(".para > p");
  const start = index.done.starts[Math.max(index.done.lines.indexOf(line), 0)];
  const n = found.findIndex((place) => place >= start);
  return Math.max(n, 0);
}

function show() {
  const none = found.length === 0;
  back.disabled = next.disabled = none;
  count.value = none ? (words.value.trim() ? t("transcript.search.none") : "") : t("transcript.search.count", { at: (at + 1).toLocaleString("en"), count: found.length.toLocaleString("en") });
  if (!none) bring();
  draw();
}

// bring scrolls the present match into view.
function bring() {
  const n = lineOf(found[at]);
  const line = index.done.lines[n];
  mark(line);
  line.scrollIntoView({ block: "center" });
  if (line.offsetHeight > innerHeight / 2) { // a long line: scroll to the match itself
    const [range] = rangesOf(found[at], (...ends) => { const r = new Range(); r.setStart(ends[0], ends[1]); r.setEnd(ends[0], ends[2]); return r; });
    scrollBy(0, range.getBoundingClientRect().top - innerHeight / 2);
  }
}

// rangesOf returns the pieces of lines that a match covers.
function rangesOf(place, make) {
  const { lines, starts } = index.done;
  const ranges = [];
  const last = place + length;
  for (let n = lineOf(place); n < lines.length && starts[n] < last; n++) {
    const node = lines[n].lastElementChild.firstChild; // an edited line may have more nodes, and fewer letters
    if (!node) continue;
    const from = inText(n, Math.max(place - starts[n], 0));
    const to = inText(n, last - starts[n]);
    const end = Math.min(Math.max(to ?? node.length, from), node.length);
    ranges.push(make(node, Math.min(from, end), end));
  }
  return ranges;
}

const still = (node, from, to) => new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to });

// near holds the parts that are visible, or soon will be.
const near = new Set();
const watch = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) near[isIntersecting ? "add" : "delete"](target);
  draw();
}, { rootMargin: "50%" });
for (const part of text.children) watch.observe(part);

const mostDrawn = 2000; // matches: with more, everything would be marked

function draw() {
  if (!index?.done) return;
  const ranges = [], lines = new Set();
  for (const part of near) {
    const [first, last] = span(part);
    for (let n = after(first); n < found.length && found[n] < last && ranges.length < mostDrawn; n++) {
      if (globalThis.CSS?.highlights) ranges.push(...rangesOf(found[n], still));
      else lines.add(index.done.lines[lineOf(found[n])]);
    }
  }
  if (globalThis.CSS?.highlights) {
    CSS.highlights.set("found", new Highlight(...ranges));
    const now = new Highlight(...(at < 0 ? [] : rangesOf(found[at], still)));
    now.priority = 1;
    CSS.highlights.set("found-now", now);
    return;
  }
  for (const line of text.querySelectorAll(".found")) if (!lines.has(line)) line.classList.remove("found");
  for (const line of lines) line.classList.add("found");
}

// span returns the start and end of a part in the folded text.
const spans = new WeakMap();
function span(part) {
  if (!spans.has(part)) {
    const { lines, starts, all } = index.done;
    const own = [...part.querySelectorAll(".para > p")];
    const first = lines.indexOf(own[0]);
    spans.set(part, first < 0 ? [0, 0] : [starts[first], starts[first + own.length] ?? all.length]);
  }
  return spans.get(part);
}

// after returns the first match at or after a place.
function after(place) {
  let first = 0, last = found.length;
  while (first < last) {
    const middle = (first + last) >> 1;
    if (found[middle] < place) first = middle + 1;
    else last = middle;
  }
  return first;
}

function step(by) {
  if (found.length === 0) return;
  at = (at + by + found.length) % found.length;
  show();
}

words.addEventListener("input", search);
form.addEventListener("submit", (event) => { event.preventDefault(); step(1); });
back.addEventListener("click", () => step(-1));
words.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); step(-1); }
  if (event.key === "Escape") { event.preventDefault(); leave(); }
});

// leave ends the search, and continues from the present match. Where the text can be corrected, the
// match becomes selected (edit.js).
function leave() {
  const line = at >= 0 && index.done.lines[lineOf(found[at])];
  const [range] = line ? rangesOf(found[at], still) : [];
  words.value = "";
  search();
  if (!line) words.blur();
  else if (line.dispatchEvent(new CustomEvent("take", { bubbles: true, cancelable: true, detail: range }))) line.querySelector("a").focus({ preventScroll: true });
}

// Corrected lines are read again.
text.addEventListener("corrected", () => {
  index = undefined;
  remembered = {};
  if (words.value) search();
});

addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  event.preventDefault();
  words.focus();
  words.select();
});
