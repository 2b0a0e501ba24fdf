// Marks the words of which the recognizer was not sure, and the word that is spoken now. Both need the
// times and the confidence of words, which not every text has. Only the visible part is marked.

import { all, present } from "./edit-save.js";
import { lines, numbers, ready } from "./edit.js";

const text = document.getElementById("text");
const audio = document.getElementById("audio");

const sure = .6; // confidence

let places = new Map(); // of the lines, by their elements

// wordsOf returns the words of a line with their ranges. A line that was changed has none.
function wordsOf(n) {
  const line = all()[numbers[n]], node = lines[n].lastElementChild.firstChild;
  if (!line.words || !node || present(numbers[n]).text !== line.text.trim()) return [];
  const found = [];
  let from = 0;
  for (const word of line.words) {
    const said = word.text.trim(), at = node.data.indexOf(said, from);
    if (at < 0 || !said) continue;
    from = at + said.length;
    found.push([word, new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: from })]);
  }
  return found;
}

const near = new Set();
function draw() {
  const ranges = [];
  for (const part of near) {
    for (const line of part.querySelectorAll(".para > p")) {
      if (!places.has(line)) continue;
      for (const [{ confidence }, range] of wordsOf(places.get(line))) if (confidence > 0 && confidence < sure) ranges.push(range);
    }
  }
  CSS.highlights.set("doubtful", new Highlight(...ranges));
}

function begin() {
  places = new Map(lines.map((line, n) => [line, n]));
  draw();
}

function speak() {
  const line = places.get(text.querySelector("p[aria-current]")), at = audio.currentTime;
  const now = line === undefined ? undefined : wordsOf(line).findLast(([{ start }]) => start <= at);
  CSS.highlights.set("spoken-word", new Highlight(...(now ? [now[1]] : [])));
  if (!audio.paused) requestAnimationFrame(speak);
}

if (globalThis.CSS?.highlights && await ready && all().some(({ words }) => words)) {
  const watch = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) near[isIntersecting ? "add" : "delete"](target);
    draw();
  });
  for (const part of text.children) watch.observe(part);
  text.addEventListener("corrected", begin);
  begin();
  audio?.addEventListener("play", speak);
  audio?.addEventListener("seeked", speak);
}
