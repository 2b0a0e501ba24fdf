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

// Refusal is an answer that is none of success, or that has not come: a sentence for
// people, its status (0 where none has come) and code, and after how many seconds it may
// be tried again.
export class Refusal extends Error {
  constructor(status, body, retryAfter = 0) {
    const error = typeof body?.error === "object" ? body.error : null;
    super(sentence(error) || meaning(status));
    Object.assign(this, { status, retryAfter, code: error?.code || "" });
  }
}

// sentence is what an error of the API says to people; empty where it says nothing. The API
// names a value that is wrong by its place in the request: for these a page has words.
export function sentence(error) {
  const issue = error?.code === "INVALID_REQUEST" ? error.details?.issues?.[0] : null;
  if (!issue) return error?.message || text("says." + error?.code);
  return text("field." + String(issue.path).split(".")[0], { says: issue.message }) || t("says.INVALID_REQUEST");
}

// text is that of a key that may have none; empty then.
function text(key, values) {
  const found = t(key, values);
  return found === key ? "" : found;
}

function meaning(status) {
  if (status === 0) return t("problem.lost");
  return status === 401 ? t("problem.signedOut") : t("problem.fault");
}

export const patience = 120_000; // milliseconds, which the site takes for an answer at most

// load asks the site for what is at an address. It throws a Refusal where there is no
// answer (its status is 0), where it is none of success, and where it leads elsewhere:
// that is to sign in (401).
export async function load(address, options) {
  let answer, text;
  try {
    answer = await fetch(address, { ...options, redirect: "manual", signal: AbortSignal.timeout(patience) });
    text = await answer.text();
  } catch {
    throw new Refusal(0);
  }
  if (answer.type === "opaqueredirect") throw new Refusal(401);
  if (!answer.ok) throw new Refusal(answer.status, parse(text), Number(answer.headers.get("Retry-After")) || 0);
  return { status: answer.status, text };
}

// ask asks the API on behalf of who looks at the page, and returns what it answers, null
// where that is nothing. It throws a Refusal, also for an answer that is none of the API.
export async function ask(path, { method = "GET", keepalive = false } = {}) {
  const { status, text } = await load("/web" + path, { method, keepalive });
  const value = parse(text);
  if (!value && status !== 204) throw new Refusal(502);
  return value;
}

// parse reads an object of JSON. It returns null where there is none.
export function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
