// Saves the changes of a text: after a pause in typing, again after a lost connection, and
// together with the changes that others have made meanwhile. It touches no page.

import { load, parse } from "./base.js";
import { keep, kept } from "./drafts.js";
import { t } from "./strings.js";

const pause = 1_000, longest = 30_000; // milliseconds
const most = 1_000; // lines in a request
const keepalive = 30_000; // characters that a browser sends after the page has gone

let path, account, listener; // of begin
let segments, revision; // as the service has them
let timer, tries = 0, single = false;
let saving = null; // the promise of what is sent now
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
// It returns the kept changes whose lines are gone.
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
  remember(changes.keys());
  later(0);
  return gone;
}

// all returns the lines of the text as the service has them.
export const all = () => segments;

// forget removes a kept change.
export const forget = (n) => keep(path, account, [[n]]);

// present returns a line with its change.
export const present = (n) => changes.get(n)?.mine ?? lineOf(segments[n]);

// theirs returns what others made of a line; undefined if the reader has nothing to choose.
export const theirs = (n) => changes.get(n)?.theirs;

// pending reports whether there are changes that the service has not saved.
export const pending = () => saving !== null || changes.size > 0;

// change changes lines: lines maps their numbers to what they are to be.
export function change(lines) {
  for (const [n, mine] of lines) {
    const found = changes.get(n) ?? { from: lineOf(segments[n]) };
    changes.set(n, { ...found, mine, refusal: mine.text ? undefined : t("transcript.edit.empty") });
  }
  settle([...lines.keys()]);
  later(pause);
  report("waiting");
}

// choose ends the choice about a line, for the reader's version or for the other one.
export function choose(n, mine) {
  const { theirs } = changes.get(n);
  changes.set(n, { from: theirs, mine });
  settle([n]);
  later(0);
}

// rename gives a speaker another name in all lines.
export const rename = (from, to) => put(() => ({ speakers: { [from]: to } }), (n, line) => [n, line.speaker === from ? { ...line, speaker: to } : line]);

// split makes two lines of one. The first one keeps the characters before a place of its text.
export const split = (n, place) => put(() => ({ segments: [{ ...written(n), text: present(n).text, splitAt: [...present(n).text.slice(0, place)].length }] }), (k, line) => [k > n ? k + 1 : k, line], n);

// join joins a line to the line before it.
export const join = (n) => put(() => ({ segments: [...(changes.has(n - 1) ? [written(n - 1)] : []), { ...written(n), join: true }] }), (k, line) => [k >= n ? k - 1 : k, line], n, n - 1);

const written = (n) => ({ index: n, ...(changes.has(n) && { text: changes.get(n).mine.text, speaker: changes.get(n).mine.speaker }) });

// put sends an edit of more than single lines, which make returns. It throws a Refusal if the service
// does not take it. move returns the new number of a line, and what becomes of a change of it. The
// changes of the lines in taken are part of the edit.
async function put(make, move, ...taken) {
  while (saving) await saving;
  const sending = sendWhole(make, taken);
  saving = sending.catch(() => {});
  report("saving");
  try {
    await sending;
  } finally {
    saving = null;
    report();
  }
  const old = [...changes];
  changes.clear();
  for (const [n, c] of old) {
    if (taken.includes(n)) continue;
    const [to, mine] = move(n, c.mine);
    changes.set(to, { ...c, mine, from: move(n, c.from)[1] });
  }
  keep(path, account, old.map(([n]) => [n]));
  remember(changes.keys());
  if (changes.size) later(pause);
  report();
}

async function sendWhole(make, taken) {
  for (let tries = 1; ; tries++) {
    try {
      take(await patch(make()));
      return;
    } catch (refusal) {
      if (refusal.status !== 412 || tries === 3) throw refusal;
      const before = segments;
      await read();
      rebase(before);
      if (replaced || taken.some(theirs)) throw refusal;
    }
  }
}

// settle removes the changes that change nothing, and keeps the others.
function settle(numbers) {
  for (const n of numbers) {
    const found = changes.get(n);
    if (found && !found.theirs && !saving && same(found.mine, found.from)) changes.delete(n);
  }
  remember(numbers);
}

function remember(numbers) {
  keep(path, account, [...numbers].map((n) => [n, changes.has(n) ? { start: segments[n].start, from: changes.get(n).from, mine: changes.get(n).mine } : undefined]));
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
  saving = sendLines(sent);
  report("saving");
  const next = await saving;
  saving = null;
  if (replaced) return;
  settle([...changes.keys()]);
  if (next === 0) await save();
  else if (next) later(next);
}

// sendLines returns the milliseconds until the next try; see failed.
async function sendLines(sent) {
  try {
    accept(await send(sent), sent);
    tries = 0;
    return 0;
  } catch (refusal) {
    return failed(refusal, sent);
  }
}

async function send(sent) {
  const lines = [...sent].map(([index, { text, speaker }]) => {
    const { from } = changes.get(index);
    return { index, ...(text !== from.text && { text }), ...(speaker !== from.speaker && { speaker }) };
  });
  return patch({ segments: lines });
}

async function patch(edit) {
  const body = JSON.stringify(edit);
  const { text } = await load(path, {
    method: "PATCH", body, keepalive: body.length < keepalive,
    headers: { "Content-Type": "application/json", "If-Match": `"${revision}"` },
  });
  return parse(text);
}

// accept takes over the text that the service has after a request.
function accept(saved, sent) {
  take(saved);
  const done = [];
  for (const [n, mine] of sent) {
    const found = changes.get(n);
    if (found && same(found.mine, mine)) {
      changes.delete(n);
      done.push([n]);
    } else if (found) found.from = lineOf(segments[n]);
  }
  keep(path, account, done);
}

// take takes over a text. The words and their times come only with what is read, and stay with lines that stay.
function take(saved) {
  const words = new Map(segments.map((line) => [line.start + line.text, line.words]));
  ({ revision, transcript: { segments } } = saved);
  for (const line of segments) line.words ??= words.get(line.start + line.text);
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
  ({ revision, transcript: { segments } } = parse((await load(path + "&include=words")).text));
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
    if (same(now, { text, speaker })) {
      changes.delete(n);
      forget(n);
    }
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
