// Finds and replaces words in all lines. The reader sees what changes before it does.

import { notice } from "./base.js";
import { present, save } from "./edit-save.js";
import { numbers, ready, set } from "./edit.js";
import { t } from "./strings.js";

const sheet = document.getElementById("replace");
const find = document.getElementById("replace-find");
const by = document.getElementById("replace-by");
const count = document.getElementById("replace-count");
const preview = document.getElementById("replace-preview");

const most = 20; // changes in the preview

// changed returns the lines that the words are in, with their places and the new text.
function changed() {
  const all = [];
  if (!find.value) return all;
  for (const [n, number] of numbers.entries()) {
    const { text } = present(number);
    if (text.includes(find.value)) all.push([n, text, text.replaceAll(find.value, () => by.value).trim()]);
  }
  return all;
}

function show() {
  const all = changed();
  count.value = find.value ? t("desk.replace.count", { count: all.length }) : "";
  preview.replaceChildren(...all.slice(0, most).map(([, was, now]) => {
    const row = document.createElement("li");
    for (const [name, words] of [["del", was], ["ins", now]]) row.appendChild(document.createElement(name)).textContent = words;
    return row;
  }));
}

sheet.addEventListener("input", show);
sheet.addEventListener("toggle", ({ newState }) => {
  if (newState !== "open") return;
  find.focus();
  find.select();
  show();
});

sheet.addEventListener("submit", (event) => {
  event.preventDefault();
  const all = changed();
  set(all.map(([n, , text]) => [n, { text }]));
  save();
  sheet.hidePopover();
  notice(t("desk.replace.done", { count: all.length }));
});

if (await ready) {
  addEventListener("keydown", (event) => {
    if (!event.ctrlKey || event.altKey || event.metaKey || event.key.toLowerCase() !== "h") return;
    event.preventDefault();
    const selected = getSelection().toString().trim();
    if (selected && !selected.includes("\n")) find.value = selected;
    sheet.showPopover();
  });
}
