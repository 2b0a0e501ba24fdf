// Searches in the text while one types. Case and accents do not count, white space and
// forms of quotes neither, and what is searched for may go on in the line that follows.
//
// The whole text stands folded in one string, in which a search takes a millisecond or
// two, however often it meets. What is drawn are the places near what is seen, and where
// the browser cannot draw places, their lines.

import { mark } from "./transcript.js";
import { t } from "./strings.js";

const text = document.getElementById("text");
const form = document.getElementById("within");
const words = document.getElementById("within-words");
const count = document.getElementById("within-count");
const back = document.getElementById("within-back");
const next = document.getElementById("within-next");

// pause lets the browser do what waits when the work has taken long enough.
const slice = 8; // milliseconds
let begun = 0;
const due = () => performance.now() - begun > slice;
async function pause() {
  await (globalThis.scheduler?.yield?.() ?? new Promise((go) => setTimeout(go)));
  begun = performance.now();
}

// fold makes of a text what it is found by, as the search in the library does.
const marks = /[\p{Mn}\p{Me}]/gu;
function fold(s) {
  s = s.replace(/\s+/g, " ");
  if (/^[\x20-\x7e]*$/.test(s)) return s.toLowerCase();
  return s.normalize("NFKD").replace(marks, "").toUpperCase().toLowerCase()
    .replace(/ς/g, "σ").replace(/[‘’ʼ]/g, "'").replace(/[“”„]/g, '"').replace(/\s+/g, " ");
}

// Scripts that are written without spaces go on without one in the next line.
const closed = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

// index is the folded text, made when it is first asked for: the lines, and where each
// begins in it.
let index;
async function read() {
  begun = performance.now();
  const lines = [...text.querySelectorAll("p")].filter((line) => line.firstElementChild);
  const starts = new Uint32Array(lines.length);
  const pieces = [];
  let length = 0, last = "";
  for (let n = 0; n < lines.length; n++) {
    const folded = fold(lines[n].lastChild.data).trim();
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

// lineOf is the number of the line that a place of the folded text is in.
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

// inText is where a place of a folded line is in its text. Of the last line that was
// asked about all places are remembered.
let remembered = {};
function inText(line, place) {
  if (remembered.line !== line) {
    const data = index.done.lines[line].lastChild.data;
    const plain = /^[\x21-\x7e]( ?[\x21-\x7e])*$/.test(data.trim());
    const at = [];
    if (!plain) {
      let from = 0, space = true; // the text begins with what is trimmed
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

// clusters are the characters of a text as people see them: what is folded together.
const segmenter = globalThis.Intl?.Segmenter && new Intl.Segmenter();
const clusters = (data) => segmenter ? segmenter.segment(data) : [...data].map((segment) => ({ segment }));

// The places where the words stand, as offsets in the folded text, and which of them one
// is at.
let found = [], length = 0, at = -1;
let latest = 0; // search: those that another has overtaken end

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
  show();
}

// ahead is the first place that is not above what is seen.
function ahead() {
  const top = form.getBoundingClientRect().bottom;
  const part = [...text.children].findIndex((part) => part.getBoundingClientRect().bottom > top);
  const line = text.children[Math.max(part, 0)].querySelector("p > a")?.parentElement;
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

// bring brings the place that one is at into sight.
function bring() {
  const n = lineOf(found[at]);
  const line = index.done.lines[n];
  mark(line);
  line.scrollIntoView({ block: "center" });
  if (line.offsetHeight > innerHeight / 2) { // a long one: to the place itself
    const [range] = rangesOf(found[at], (...ends) => { const r = new Range(); r.setStart(ends[0], ends[1]); r.setEnd(ends[0], ends[2]); return r; });
    scrollBy(0, range.getBoundingClientRect().top - innerHeight / 2);
  }
}

// rangesOf are the pieces of lines that a place goes over.
function rangesOf(place, make) {
  const { lines, starts } = index.done;
  const ranges = [];
  const end = place + length;
  for (let n = lineOf(place); n < lines.length && starts[n] < end; n++) {
    const node = lines[n].lastChild;
    const from = inText(n, Math.max(place - starts[n], 0));
    const to = inText(n, end - starts[n]);
    ranges.push(make(node, from, Math.max(to ?? node.length, from)));
  }
  return ranges;
}

const still = (node, from, to) => new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to });

// near are the parts that are seen, or soon will be.
const near = new Set();
const watch = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) near[isIntersecting ? "add" : "delete"](target);
  draw();
}, { rootMargin: "50%" });
for (const part of text.children) watch.observe(part);

const mostDrawn = 2000; // places: more are a gray wall

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

// span is where a part begins and ends in the folded text.
const spans = new WeakMap();
function span(part) {
  if (!spans.has(part)) {
    const { lines, starts, all } = index.done;
    const own = [...part.querySelectorAll("p")];
    const first = lines.indexOf(own[0]);
    spans.set(part, first < 0 ? [0, 0] : [starts[first], starts[first + own.length] ?? all.length]);
  }
  return spans.get(part);
}

// after is the first place that is not before one.
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

// leave takes the search away, and goes on from the line that it has led to.
function leave() {
  const line = at >= 0 && index.done.lines[lineOf(found[at])];
  words.value = "";
  search();
  (line || null)?.querySelector("a").focus({ preventScroll: true });
  if (!line) words.blur();
}

addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  event.preventDefault();
  words.focus();
  words.select();
});
