// Adds and removes stars without leaving the page. Stars are forms and also work without this
// module: see parts/star.html. All stars of one thing change together.

import { ask, notice } from "./base.js";
import { t } from "./strings.js";

const busy = new Set(); // things with a request under way

function show(action, starred) {
  for (const form of document.querySelectorAll("form.star")) {
    if (form.action !== action) continue;
    form.elements.starred.value = String(!starred);
    form.querySelector("button").setAttribute("aria-pressed", String(starred));
  }
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("form.star")) return;
  event.preventDefault();
  const { action } = form;
  if (busy.has(action)) return;
  busy.add(action);
  const { pathname, search } = new URL(action);
  const starred = form.elements.starred.value === "true";
  show(action, starred);
  try {
    await ask("/v1" + pathname + search, { method: starred ? "PUT" : "DELETE" });
  } catch (refusal) {
    show(action, !starred);
    if (refusal.status !== 401) notice(t("star.failed", { why: refusal.message }));
  }
  busy.delete(action);
});
