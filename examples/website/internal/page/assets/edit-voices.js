// The speakers of a text, beside it: a new name applies to all lines of a speaker, the name of
// another speaker merges the two, and a sample lets the reader hear who it is.

import { notice } from "./base.js";
import { present, rename } from "./edit-save.js";
import { give, lines, numbers, ready, shown, toneOf, voices } from "./edit.js";
import { t } from "./strings.js";

const list = document.getElementById("voices");
const row = document.getElementById("voice").content;
const audio = document.getElementById("audio");

function show() {
  const counts = voices();
  [...counts].forEach(([name, count], n) => {
    const made = list.children[n] ?? list.appendChild(row.cloneNode(true).firstElementChild);
    made.dataset.tone = toneOf(name);
    const { speaker, name: field } = made.querySelector("form").elements;
    if (speaker.value !== name) [speaker.value, field.value, field.defaultValue] = [name, name, name];
    made.querySelector(".count").textContent = t("desk.voice.lines", { count });
  });
  while (list.children.length > counts.size) list.lastElementChild.remove();
  list.closest("section").classList.remove("scripted");
}

// say tells on the button whether the name is another speaker's.
list.addEventListener("input", ({ target }) => {
  const { speaker, name } = target.form.elements, merges = name.value.trim() !== speaker.value && voices().has(name.value.trim());
  target.form.querySelector("button").textContent = merges ? t("desk.voice.merge") : t("edit.rename");
});

list.addEventListener("submit", async (event) => {
  event.preventDefault();
  const from = event.target.elements.speaker.value, to = event.target.elements.name.value.trim();
  if (!to || from === to) return;
  const changed = numbers.filter((n) => present(n).speaker === from);
  try {
    await rename(from, to);
  } catch (refusal) {
    if (refusal.status === undefined) throw refusal;
    if (refusal.status !== 401) notice(refusal.message);
    return;
  }
  toneOf(to, toneOf(from));
  shown(changed);
  event.target.querySelector("button").textContent = t("edit.rename");
  notice(t("desk.voice.renamed", { count: changed.length, name: to }));
});

// The sample of a speaker is the longest of the first lines.
list.addEventListener("click", ({ target }) => {
  if (!target.matches(".hear")) return;
  const { value } = target.closest("li").querySelector("[name=speaker]");
  const own = lines.filter((line, n) => present(numbers[n]).speaker === value).slice(0, 50);
  const longest = own.reduce((a, b) => a.lastElementChild.textContent.length < b.lastElementChild.textContent.length ? b : a);
  audio.currentTime = Number(longest.id.slice(2));
  audio.play().catch(() => {}); // player.js tells the reason
});

document.getElementById("voice-new").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = document.getElementById("voice-name");
  give(field.value.trim());
  field.value = "";
});

if (await ready) {
  document.getElementById("text").addEventListener("corrected", show);
  show();
}
