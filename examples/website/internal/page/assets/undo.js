// Deletes with undo: a deleted row disappears at once, a notice offers to undo that for ten
// seconds, and only then the module asks the service to delete it.
//
// A page needs no script of its own for this. It loads this module, and its template marks the
// row (or the only element of a thing) and the delete button, with the path for DELETE and the
// text of the notice. The button is hidden without scripts, because it needs them:
//
//   <li data-row>
//     <button type="button" class="scripted" data-delete="/v1/batch/{{.ID}}"
//       data-notice="{{t "batches.deleted"}}">{{t "batches.delete"}}</button>
//   </li>
//
// Rows that are added later work too. Rows with the same path disappear and return together.
// When the service has deleted the row, the row receives a bubbling event "deleted"; after an
// undo "undone". If the
// service refuses, the row returns and a notice shows the reason.
//
// Leaving the page confirms: pending deletions are sent at once, and continue after the page
// has gone.

import { ask, notice, parse } from "./base.js";
import { t } from "./strings.js";

const patience = 10_000; // milliseconds

const held = new Map(); // by path: functions that send pending deletions

// undoable reports whether a row may still return.
export const undoable = () => held.size > 0;

const rowsOf = (path) => [...document.querySelectorAll("[data-delete]")]
  .filter((button) => button.dataset.delete === path)
  .map((button) => button.closest("[data-row]"));

function show(path, shown) {
  for (const row of rowsOf(path)) row.hidden = !shown;
}

// remove asks the service to delete a hidden row.
async function remove(path) {
  try {
    await ask(path, { method: "DELETE", keepalive: true });
  } catch (refusal) {
    if (refusal.status !== 404) { // 404: another tab was faster
      held.delete(path);
      show(path, true);
      if (refusal.status !== 401) notice(t("undo.failed", { why: refusal.message }), { ms: patience });
      return;
    }
  }
  held.delete(path);
  rowsOf(path)[0]?.dispatchEvent(new Event("deleted", { bubbles: true }));
}

// hold handles delete buttons: at first their rows are only hidden. text is the notice for all.
export function hold(buttons, text) {
  const paths = buttons.map((button) => button.dataset.delete);
  const row = buttons[0].closest("[data-row]");
  let sent = false;
  const send = () => {
    if (sent) return;
    sent = true;
    leaveNotice();
    close();
    for (const path of paths) remove(path);
  };
  const { box, close } = notice(text, {
    ms: patience,
    end: send,
    action: t("undo.undo"),
    run() {
      for (const path of paths) {
        held.delete(path);
        show(path, true);
      }
      buttons[0].focus();
      row.dispatchEvent(new Event("undone", { bubbles: true }));
    },
  });
  const leaveNotice = () => { if (box.contains(document.activeElement)) nearest(row).focus(); };

  for (const path of paths) {
    held.set(path, send);
    show(path, false);
  }
  box.querySelector("button").focus();
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leaveNotice();
    if (event.repeat) event.preventDefault(); // the key that deleted is still held down
  });
}

// nearest returns the next element for the keyboard after a row has gone.
function nearest(row) {
  for (const way of ["nextElementSibling", "previousElementSibling"]) {
    for (let near = row[way]; near; near = near[way]) {
      const found = !near.hidden && near.matches("[data-row]") && near.querySelector("a[href], button");
      if (found) return found;
    }
  }
  return document.getElementById("main");
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-delete]");
  if (button) hold([button], button.dataset.notice);
});

// The next page may have been rendered before the deletion, and show the rows again. This
// storage tells the next page which rows are deleted.
const leftBehind = "undo";

function leave() {
  if (!undoable()) return;
  try {
    sessionStorage.setItem(leftBehind, JSON.stringify({ at: Date.now(), paths: [...held.keys()] }));
  } catch { /* no storage: the next page may show the rows again */ }
  for (const send of held.values()) send();
}

addEventListener("pagehide", leave);
addEventListener("submit", (event) => { if (!event.defaultPrevented) leave(); }); // the form may sign the visitor out

function taken() {
  try {
    const left = parse(sessionStorage.getItem(leftBehind));
    sessionStorage.removeItem(leftBehind);
    return left;
  } catch {
    return null; // no storage
  }
}

const left = taken();
if (left?.at > performance.timeOrigin - 1_000) { // a form leaves the storage before this page begins
  for (const path of left.paths) {
    if (rowsOf(path).length === 0) continue;
    held.set(path, () => {});
    show(path, false);
    remove(path);
  }
}
