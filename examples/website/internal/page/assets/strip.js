// Draws the strip of the dock from the text: who speaks, where chapters begin, where nobody speaks, and
// where the searched words are. The slider over it goes to a place of the recording, or of the text.

import { clock } from "./pause.js";
import { lineAt, mark } from "./transcript.js";
import { t } from "./strings.js";

const text = document.getElementById("text");
const strip = document.getElementById("strip");
const place = document.getElementById("place");
const audio = document.getElementById("audio");
const link = document.getElementById("open-at");

const secondsOf = (line) => Number(line.id.slice(2)); // of id="t=SECONDS"

let end = 0; // seconds
let hits = []; // lines

function path(group, d) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "path");
  made.setAttribute("d", d.join(""));
  if (typeof group === "number") made.dataset.tone = group;
  else made.setAttribute("class", group);
  return made;
}

const box = (from, to, top = 0, bottom = 1) => `M${from} ${top}H${to}V${bottom}H${from}z`;

function draw() {
  const lines = text.querySelectorAll("p[id]");
  const length = Number(document.querySelector("article.transcript").dataset.length) || 0;
  end = Math.max(audio?.duration || 0, length, lines.length ? secondsOf(lines[lines.length - 1]) + 1 : 1);
  const tones = new Map();
  let tone = 0, from = 0;
  const speaks = (to) => {
    if (!tones.has(tone)) tones.set(tone, []);
    if (to > from) tones.get(tone).push(box(from, to, .15, .85));
    from = to;
  };
  for (const part of text.querySelectorAll("h3 + .para > p:first-child")) {
    speaks(part.id ? secondsOf(part) : from);
    tone = Number(part.parentElement.previousElementSibling.dataset.tone);
  }
  speaks(end);
  const mark = end / 600; // the width of a mark
  const marks = (seconds, top, bottom) => seconds.map((s) => box(s, s + mark, top, bottom));
  const gaps = [...text.querySelectorAll(".gap")].map(({ dataset }) => box(dataset.start, dataset.end));
  const chapters = marks([...text.querySelectorAll("h2[data-start]")].map(({ dataset }) => Number(dataset.start)), 0, 1);
  strip.setAttribute("viewBox", `0 0 ${end} 1`);
  strip.replaceChildren(...[...tones].map(([tone, d]) => path(tone, d)), path("gaps", gaps), path("chapter-marks", chapters), path("hits", marks(hits.filter(({ id }) => id).map(secondsOf), .5, 1)));
  place.max = end;
}

let due = 0;
function drawSoon() {
  clearTimeout(due);
  due = setTimeout(draw);
}

function at(seconds) {
  place.value = seconds;
  place.ariaValueText = clock(seconds);
}

// lead shows where the platform's player begins.
function lead(line) {
  const time = line?.querySelector("a");
  if (!link || !time) return;
  link.href = time.href;
  link.textContent = t("desk.openAt", { time: time.textContent });
  at(secondsOf(line));
}

place.addEventListener("input", () => {
  const seconds = Number(place.value);
  place.ariaValueText = clock(seconds);
  const line = lineAt(seconds);
  if (audio) audio.currentTime = seconds;
  else lead(line);
  mark(audio ? null : line);
  line?.scrollIntoView({ block: "center" });
});

audio?.addEventListener("timeupdate", () => at(audio.currentTime));
audio?.addEventListener("seeked", () => at(audio.currentTime));
audio?.addEventListener("durationchange", drawSoon);
text.addEventListener("corrected", drawSoon);
text.addEventListener("found", ({ detail }) => {
  hits = detail;
  drawSoon();
});
for (const event of ["click", "focusin"]) text.addEventListener(event, ({ target }) => lead(target.closest("p[id]")));

draw();
lead(lineAt(Number(/^#t=([\d.]+)$/.exec(location.hash)?.[1] ?? 0)));
