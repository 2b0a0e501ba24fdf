// Deletes that can be undone: what is deleted goes from the page at once, a notice offers
// to undo that for ten seconds, and only then is the service asked to delete it.
//
// A page needs no script of its own for this. It names this module, and marks in its
// template what goes (a row, or all that there is of a thing) and the button that lets it
// go, with the path that DELETE is sent to and the text of the notice. A button that does
// nothing without scripts is not shown without them:
//
//   <li data-row>
//     <button type="button" class="scripted" data-delete="/v1/batch/{{.ID}}"
//       data-notice="{{t "batches.deleted"}}">{{t "batches.delete"}}</button>
//   </li>
//
// Rows that come later are served too. Rows with the same path go and come back together.
// When the service has deleted it, the row hears an event "deleted", which bubbles; when
// it would not, the row comes back and a notice says why.
//
// Who leaves the page decides: what is held back then is sent at once, and goes on when
// the page has gone.

import { ask, notice, parse } from "./base.js";
import { t } from "./strings.js";

const patience = 10_000; // milliseconds

const held = new Map(); // by path, how to send what the service has not deleted yet

// undoable reports whether something may still come back.
export const undoable = () => held.size > 0;

const rowsOf = (path) => [...document.querySelectorAll("[data-delete]")]
  .filter((button) => button.dataset.delete === path)
  .map((button) => button.closest("[data-row]"));

function show(path, shown) {
  for (const row of rowsOf(path)) row.hidden = !shown;
}

// remove has the service delete what is not shown any more.
async function remove(path) {
  try {
    await ask(path, { method: "DELETE", keepalive: true });
  } catch (refusal) {
    if (refusal.status !== 404) { // else it is gone: another tab was faster
      held.delete(path);
      show(path, true);
      notice(t("undo.failed", { why: refusal.message }), { ms: patience });
      return;
    }
  }
  held.delete(path);
  rowsOf(path)[0]?.dispatchEvent(new Event("deleted", { bubbles: true }));
}

// hold is what a button does: it deletes, but for now from the page alone.
function hold(button) {
  const path = button.dataset.delete;
  const row = button.closest("[data-row]");
  let sent = false;
  const send = () => {
    if (sent) return;
    sent = true;
    leaveNotice();
    close();
    remove(path);
  };
  const { box, close } = notice(button.dataset.notice, {
    ms: patience,
    end: send,
    action: t("undo.undo"),
    run() {
      held.delete(path);
      show(path, true);
      button.focus();
    },
  });
  const leaveNotice = () => { if (box.contains(document.activeElement)) nearest(row).focus(); };

  held.set(path, send);
  show(path, false);
  box.querySelector("button").focus();
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leaveNotice();
    if (event.repeat) event.preventDefault(); // the key that deleted is still held down
  });
}

// nearest is what the keyboard goes on with where a row has gone.
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
  if (button) hold(button);
});

// The next page may have been made before the service hears of it, and show rows once
// more. It learns here that they are deleted, and sees to it.
const leftBehind = "undo";

function leave() {
  if (!undoable()) return;
  try {
    sessionStorage.setItem(leftBehind, JSON.stringify({ at: Date.now(), paths: [...held.keys()] }));
  } catch { /* the browser keeps nothing: the next page may show them once more */ }
  for (const send of held.values()) send();
}

addEventListener("pagehide", leave);
addEventListener("submit", (event) => { if (!event.defaultPrevented) leave(); }); // it may be to sign out

function taken() {
  try {
    const left = parse(sessionStorage.getItem(leftBehind));
    sessionStorage.removeItem(leftBehind);
    return left;
  } catch {
    return null; // the browser keeps nothing
  }
}

const left = taken();
if (left?.at > performance.timeOrigin - 1_000) { // by a form it is left before this page begins
  for (const path of left.paths) {
    if (rowsOf(path).length === 0) continue;
    held.set(path, () => {});
    show(path, false);
    remove(path);
  }
}
