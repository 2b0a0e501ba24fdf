// Selects texts of the library, and deletes the selected ones with undo. Without this module
// the checkboxes and the form for a ZIP work.

import { t } from "./strings.js";
import { hold } from "./undo.js";

const rows = document.getElementById("rows");
const bulk = document.getElementById("bulk");
const all = document.getElementById("select-all");
const count = document.getElementById("selected");
const remove = document.getElementById("delete-selected");

const boxes = () => [...rows.querySelectorAll("[data-row]:not([hidden]) input[name=text]")];
const selected = () => boxes().filter((box) => box.checked);

function tell() {
  const n = selected().length;
  all.checked = n > 0 && n === boxes().length;
  all.indeterminate = n > 0 && !all.checked;
  remove.disabled = n === 0;
  count.textContent = t("library.selected", { count: n });
}

all?.addEventListener("change", () => {
  for (const box of boxes()) box.checked = all.checked;
  tell();
});
rows?.addEventListener("change", tell);
for (const event of ["deleted", "undone"]) rows?.addEventListener(event, tell);
remove?.addEventListener("click", () => {
  const buttons = selected().map((box) => box.closest("[data-row]").querySelector("[data-delete]")).filter(Boolean);
  if (buttons.length) hold(buttons, t("library.deletedSelected", { count: buttons.length }));
  tell();
});
bulk?.addEventListener("submit", (event) => { if (selected().length === 0) event.preventDefault(); });
if (bulk) tell();
