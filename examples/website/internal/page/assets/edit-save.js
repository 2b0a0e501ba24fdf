// Saves the changes of a text: after a pause in typing, again after a lost connection, and
// together with the changes that others have made meanwhile. It touches no page.

import { load, parse } from "./base.js";
import { keep, kept } from "./drafts.js";
import { t } from "./strings.js";

const pause = 1_000, longest = 30_000; // milliseconds
const most = 100; // lines in a request
const keepalive = 30_000; // characters that a browser sends after the page has gone

let path, account, listener; // of begin
let segments, revision; // as the service has them
let timer, saving = false, tries = 0, single = false;
let replaced = false; // the text has other lines now: the page must be loaded again

// The changes by the numbers of their lines: mine is the line as the reader wants it, from the
// service's line that it was made from, and tried the line that was sent last. theirs is what
// others made of the line, if the reader has to choose, and refusal is why the service does not
// take the line.
const changes = new Map();

const lineOf = ({ text, speaker = "" }) => ({ text: text.trim(), speaker });
const same = (a, b) => a.text === b.text && a.speaker === b.speaker;

// begin reads the present text and takes up the changes that were kept. told is called with
// the numbers of changed lines after each change that comes from elsewhere, and with the state.
// It returns the segments of the text and the kept changes whose lines are gone.
export async function begin(options) {
  ({ path, account, told: listener } = options);
  await read();
  const gone = [];
  for (const [n, { start, from, mine }] of Object.entries(kept(path, account))) {
    const at = segments[n]?.start === start ? Number(n) : segments.findIndex((s) => s.start === start);
    if (at < 0) {
      gone.push([n, mine.text]);
      continue;
    }
    if (at !== Number(n)) forget(n);
    changes.set(at, { from, mine });
  }
  rebase(segments);
  for (const n of changes.keys()) remember(n);
  later(0);
  return { segments, gone };
}

// forget removes a kept change.
export const forget = (n) => keep(path, account, n);

// present returns a line with its change.
export const present = (n) => changes.get(n)?.mine ?? lineOf(segments[n]);

// theirs returns what others made of a line; undefined if the reader has nothing to choose.
export const theirs = (n) => changes.get(n)?.theirs;

// pending reports whether there are changes that the service has not saved.
export const pending = () => saving || changes.size > 0;

// change changes a line.
export function change(n, mine) {
  const found = changes.get(n) ?? { from: lineOf(segments[n]) };
  changes.set(n, { ...found, mine, refusal: mine.text ? undefined : t("transcript.edit.empty") });
  settle(n);
  later(pause);
  report("waiting");
}

// choose ends the choice about a line, for the reader's version or for the other one.
export function choose(n, mine) {
  const { theirs } = changes.get(n);
  changes.set(n, { from: theirs, mine });
  settle(n);
  later(0);
}

// settle removes a change that changes nothing, and keeps the others.
function settle(n) {
  const found = changes.get(n);
  if (found && !found.theirs && !saving && same(found.mine, found.from)) drop(n);
  else remember(n);
}

function drop(n) {
  changes.delete(n);
  forget(n);
}

function remember(n) {
  const { from, mine } = changes.get(n);
  keep(path, account, n, { start: segments[n].start, from, mine });
}

// save sends the changes now. It returns when there is nothing more to send at the moment.
export async function save() {
  clearTimeout(timer);
  if (saving || replaced) return;
  const sent = new Map([...changes].filter(([, c]) => !c.theirs && !c.refusal && !same(c.mine, c.from)).slice(0, single ? 1 : most));
  if (sent.size === 0) {
    report();
    return;
  }
  for (const [n, c] of sent) {
    sent.set(n, c.mine);
    c.tried = c.mine;
  }
  saving = true;
  report("saving");
  let next;
  try {
    accept(await send(sent), sent);
    tries = 0;
    next = 0;
  } catch (refusal) {
    next = await failed(refusal, sent);
  }
  saving = false;
  if (replaced) return;
  for (const n of [...changes.keys()]) settle(n);
  if (next === 0) await save();
  else if (next) later(next);
}

async function send(sent) {
  const lines = [...sent].map(([index, { text, speaker }]) => {
    const { from } = changes.get(index);
    return { index, ...(text !== from.text && { text }), ...(speaker !== from.speaker && { speaker }) };
  });
  const body = JSON.stringify({ segments: lines });
  const { text } = await load(path, {
    method: "PATCH", body, keepalive: body.length < keepalive,
    headers: { "Content-Type": "application/json", "If-Match": `"${revision}"` },
  });
  return parse(text);
}

// accept takes over the text that the service has after a request.
function accept(saved, sent) {
  revision = saved.revision;
  for (const [n, mine] of sent) {
    const found = changes.get(n);
    if (found && same(found.mine, mine)) drop(n);
    else if (found) found.from = lineOf(saved.transcript.segments[n]);
  }
  segments = saved.transcript.segments;
}

// failed returns the milliseconds until the next try; undefined: there is none before the next
// change.
async function failed(refusal, sent) {
  const { status, retryAfter, message } = refusal;
  if (status === undefined) throw refusal; // a fault of this module
  const wait = Math.max(Math.min(pause * 2 ** tries++, longest), retryAfter * 1_000);
  if (status === 412) {
    try {
      const before = segments;
      await read();
      rebase(before);
      return tries > 1 ? wait : 0; // another tab may save at the same pace
    } catch (lost) {
      return failed(lost, sent);
    }
  }
  if (status === 0 || status === 429 || status >= 500) {
    report("lost", message);
    return wait;
  }
  if (status === 401) {
    report("signedOut", message);
    return longest;
  }
  if (sent.size > 1) { // find the line that the service does not take
    single = true;
    return 0;
  }
  for (const n of sent.keys()) if (changes.has(n)) changes.get(n).refusal = message;
  report("refused", message);
  return status === 404 ? undefined : 0;
}

async function read() {
  const saved = parse((await load(path)).text);
  segments = saved.transcript.segments;
  revision = saved.revision;
}

// rebase puts the changes on top of the present text. Changes of different lines, and of text
// and speaker, stand together. For the same line the reader has to choose.
function rebase(before) {
  if (before.length !== segments.length || before.some(({ start }, n) => start !== segments[n].start)) {
    replaced = true;
    listener.replaced();
    return;
  }
  for (const [n, found] of changes) {
    const now = lineOf(segments[n]);
    if (found.tried && same(found.tried, now)) found.from = now; // the answer to the last try was lost
    const text = merge(found, now, "text"), speaker = merge(found, now, "speaker");
    if (text === undefined || speaker === undefined) {
      found.theirs = now;
      continue;
    }
    if (same(now, { text, speaker })) drop(n);
    else changes.set(n, { from: now, mine: { text, speaker } });
  }
  listener.lines(segments.keys());
}

function merge({ from, mine }, now, member) {
  if (mine[member] === from[member] || mine[member] === now[member]) return now[member];
  return now[member] === from[member] ? mine[member] : undefined;
}

function later(wait) {
  clearTimeout(timer);
  timer = setTimeout(save, wait);
}

function report(state, message) {
  const clash = [...changes.values()].some((c) => c.theirs), refused = [...changes.values()].find((c) => c.refusal);
  if (!state && clash) state = "clash";
  if (!state && refused) [state, message] = ["refused", refused.refusal];
  listener.state(state ?? "saved", message);
}

addEventListener("online", () => { if (pending()) save(); });
addEventListener("pagehide", () => { if (pending()) save(); });
document.addEventListener("visibilitychange", () => { if (pending()) save(); });
