// The shared module of all pages: notices, and calls of the API.

import { t } from "./strings.js";

// A menu that was opened on a phone is closed where the screen becomes wide and needs no menu.
matchMedia("(max-width: 48rem)").addEventListener("change", () => document.querySelector("#menu:popover-open")?.hidePopover());

// notice shows a short message. action is the text of a button; pressing the button calls run
// and removes the notice. Otherwise the notice disappears after ms milliseconds and calls end.
// notice returns the element, and a function that removes it.
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

// Refusal is a failed or missing answer: a sentence for people, its status (0 without an
// answer) and code, and the seconds until the next try.
export class Refusal extends Error {
  constructor(status, { message, code = "", retryAfter = 0 } = {}) {
    super(message || meaning(status));
    Object.assign(this, { status, retryAfter, code });
  }
}

// explain returns what an API error says to people, and what they can do about it. Both are
// empty for an unknown code, and where the texts cannot be loaded.
export async function explain(error) {
  try {
    return await (await import("./refusal.js")).explain(error);
  } catch {
    return { says: "", cure: "" };
  }
}

function meaning(status) {
  if (status === 0) return t("problem.lost");
  return status === 401 ? t("problem.signedOut") : t("problem.fault");
}

export const patience = 120_000; // milliseconds, the longest wait for an answer

// shownTo is the header of requests that names the user of this page. If another user is signed in
// meanwhile, the answer is 401.
const { account } = document.body.dataset;
export const shownTo = account ? { "X-Shown-To": account } : {};

// signedOut tells that the session has ended, and offers to sign in. Modules call it when they learn
// that, unless load has done so.
export async function signedOut() {
  (await import("./signed-out.js").catch(() => null))?.tell(); // without a connection the refusal tells enough
}

// load requests an address of the site. It throws a Refusal if there is no answer (status 0),
// if the answer is not a success, and if the session has ended (401), which it also tells.
export async function load(address, options) {
  let answer, text;
  try {
    answer = await fetch(address, { ...options, headers: { ...options?.headers, ...shownTo }, redirect: "manual", signal: AbortSignal.timeout(patience) });
    text = await answer.text();
  } catch {
    throw new Refusal(0);
  }
  if (answer.type === "opaqueredirect" || answer.status === 401) {
    signedOut();
    throw new Refusal(401);
  }
  if (!answer.ok) throw await refusal(answer, parse(text)?.error);
  return { status: answer.status, text };
}

// refusal puts an API error into words. Some errors are only a word, as in "rate_limited".
async function refusal(answer, error) {
  const coded = typeof error === "string" ? { code: error.toUpperCase() } : error ?? {};
  const { says } = await explain(coded);
  return new Refusal(answer.status, { message: says, code: coded.code, retryAfter: Number(answer.headers.get("Retry-After")) || 0 });
}

// ask calls the API on behalf of the visitor and returns the answer, or null if the answer is
// empty. It throws a Refusal, also for an answer that is not the API's.
export async function ask(path, { method = "GET", keepalive = false } = {}) {
  const { status, text } = await load("/web" + path, { method, keepalive });
  const value = parse(text);
  if (!value && status !== 204) throw new Refusal(502);
  return value;
}

// parse reads a JSON object. It returns null if there is none.
export function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
