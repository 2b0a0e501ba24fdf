// What all pages share: notices, and questions to the API.

import { t } from "./strings.js";

// notice says something in passing. An action is a button's text and what it does when
// it is pressed, which takes the notice away; else it goes after ms milliseconds, and
// end is called. It returns its element, and a function that takes it away.
export function notice(text, { ms = 6000, action, run, end } = {}) {
  const box = document.createElement("div");
  box.className = "notice";
  const words = document.createElement("span");
  words.dir = "auto";
  words.textContent = text;
  box.append(words);
  const timer = setTimeout(() => { end?.(); box.remove(); }, ms);
  const close = () => { clearTimeout(timer); box.remove(); };
  if (action) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = action;
    button.addEventListener("click", () => { run(); close(); });
    box.append(button);
  }
  document.getElementById("notices").append(box);
  return { box, close };
}

// Refusal is an answer of the API that is none of success: a sentence for people, its
// code, and what can be done about it, maybe after retryAfter seconds.
export class Refusal extends Error {
  constructor(status, body, retryAfter = 0) {
    const error = typeof body?.error === "object" ? body.error : {};
    super(error.message || t("problem.fault"));
    Object.assign(this, { status, retryAfter, code: error.code || "", actionLabel: error.actionLabel, actionUrl: error.actionUrl, details: error.details });
  }
}

// ask asks the API on behalf of who looks at the page: ask("/v1/usage"), and
// ask(path, {method, body}) with a body that becomes JSON. It returns what the JSON of
// the answer holds, and throws a Refusal.
export async function ask(path, { method = "GET", body, keepalive = false } = {}) {
  const answer = await fetch("/web" + path, {
    method, keepalive,
    headers: body ? { "Content-Type": "application/json" } : {},
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  let value = null;
  try { value = text ? JSON.parse(text) : null; } catch { /* not JSON: the status says enough */ }
  if (!answer.ok) throw new Refusal(answer.status, value, Number(answer.headers.get("Retry-After")) || 0);
  return value;
}
