// The page that records. One tab of a browser records at a time.

import { explain } from "./base.js";
import { clock } from "./pause.js";
import { offer } from "./record-left.js";
import { Sender, cancel } from "./record-send.js";
import { Silent, listen, missing, perSecond, sharesTabs } from "./record-sound.js";
import { append, begin, remove, save, unfinished } from "./record-store.js";
import { t } from "./strings.js";

const $ = (id) => document.getElementById(id);
const page = $("record"), { account } = page.dataset;
const most = (Number(page.dataset.longest) || Infinity) * perSecond; // bytes of sound

let recording = null; // the present one
let sender = null; // of it
let end = null; // ends the sound; null while there is none
let stored = Promise.resolve(); // fulfilled when all pieces are in the browser's storage
let awake = null; // keeps the screen on
let live = null; // shows the text

// show shows a state: "elsewhere", "ready", "asking", "recording", "paused", "ending" or "refused".
function show(state, says = "") {
  page.dataset.state = state;
  $("setup").hidden = !["ready", "asking"].includes(state);
  $("counts").hidden = !recording || state === "asking";
  $("level").hidden = state !== "recording";
  $("stop").hidden = !["recording", "paused"].includes(state);
  $("discard").hidden = state !== "refused";
  $("go").hidden = ["elsewhere", "ending"].includes(state);
  $("go").disabled = state === "asking";
  if (!$("go").hidden) $("go").textContent = t("record.do." + state);
  $("state").textContent = says || t("record.state." + state);
  $("left").hidden = state !== "ready" || !$("leftList").children.length;
}

function count() {
  if (!recording) return;
  $("time").textContent = clock(recording.bytes / perSecond);
  $("saved").textContent = recording.sent ? t("record.saved", { time: clock(recording.sent / perSecond) }) : "";
}

// go begins to record, pauses, goes on, or sends again what was refused.
function go() {
  if (end) return rest();
  if (page.dataset.state !== "refused") return record();
  send();
  show(recording.ended ? "ending" : "paused");
}

async function record() {
  show("asking");
  const fresh = !recording;
  stored = Promise.resolve();
  try {
    recording ??= await begin(account, t("record.name", { when: now() }), wishes());
    end = await listen(document.querySelector("[name=source]:checked").value.split(" "), take, () => rest(t("record.broke")));
  } catch (fault) {
    if (fresh && recording) await remove(recording);
    if (fresh) recording = null;
    return show(fresh ? "ready" : "paused", refusal(fault));
  }
  if (fresh) send();
  keepAwake();
  count();
  show("recording");
}

const now = () => new Date().toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

// wishes returns the fields of the upload.
function wishes() {
  const fields = new URLSearchParams({ sendMetadata: true, waitMs: 0 });
  for (const name of ["language", "speakers", "keepMediaSec"]) if ($(name)?.value > "0") fields.set(name, $(name).value);
  return fields.toString();
}

function refusal({ name, constructor }) {
  if (constructor === Silent) return t("record.silent");
  if (name === "NotAllowedError") return t("record.denied");
  if (name === "NotFoundError" || name === "NotReadableError") return t("record.noSound");
  return t("record.fault");
}

// take keeps a piece of sound, one after the other.
function take(bytes, peak) {
  $("level").value = peak;
  stored = stored.then(() => keep(bytes));
  stored.catch(() => { if (end) rest(t("record.full")); });
}

async function keep(bytes) {
  const room = most - recording.bytes;
  if (room <= 0) return;
  await append(recording, bytes.slice(0, Math.min(bytes.byteLength, room)));
  sender?.more();
  count();
  if (bytes.byteLength >= room) stop(t("record.reached"));
}

// rest pauses.
async function rest(says) {
  const over = end;
  end = null;
  $("go").disabled = true;
  await over?.();
  await stored.catch(() => {}); // take has told
  awake?.release();
  if (!recording.ended) show("paused", says);
}

// stop ends the recording.
async function stop(says) {
  recording.ended = true;
  show("ending", says);
  await rest();
  if (!recording.bytes) return discard();
  await save(recording);
  sender.finish();
}

async function discard() {
  sender?.stop();
  cancel(recording);
  await remove(recording);
  recording.sent = recording.bytes; // nothing keeps the page
  location.reload();
}

// send sends the recording until it is finished, and then shows its job.
async function send() {
  watch(recording.upload);
  sender = new Sender(recording, {
    saved: count,
    begun: (upload) => watch(upload),
    waits: (why) => {
      $("line").textContent = why && t("record.waits." + why);
      $("signIn").hidden = why !== "signedOut";
    },
    gone: (seconds) => { if (seconds > 0) $("gone").textContent = t("record.gone", { time: clock(seconds) }); },
  });
  const answer = await sender.run();
  watch("");
  if (answer && (answer.status === 200 || answer.status === 202)) await lead(answer.body);
  else if (answer) await refuse(answer.body);
}

// watch shows the text of an upload. Without its module, which the first upload loads, the recording
// goes on.
async function watch(upload) {
  if (!live && !upload) return;
  const loaded = await import("./record-live.js").catch(() => null);
  if (loaded) (live ??= new loaded.Live($("said"), $("lines"), $("tail"))).watch(upload);
}

async function lead({ jobId, transcript }) {
  await remove(recording);
  recording.sent = recording.bytes; // nothing keeps the page
  location.assign(jobId ? "/jobs/" + encodeURIComponent(jobId) : `/transcripts/upload/${encodeURIComponent(transcript.externalId)}?language=${encodeURIComponent(transcript.lang)}`);
}

async function refuse({ error }) {
  await rest();
  const { says, cure } = await explain(typeof error === "string" ? { code: error.toUpperCase() } : error ?? {});
  show("refused", [says || t("problem.fault"), cure].filter(Boolean).join(" "));
}

async function keepAwake() {
  awake = await navigator.wakeLock?.request("screen").catch(() => null) ?? null; // a weak battery
}

// choose goes on with a recording from before: what is "goOn", "finish" or "discard".
async function choose(chosen, what) {
  recording = chosen;
  if (what === "discard") return discard();
  count();
  send();
  return what === "goOn" ? record() : stop();
}

async function ready() {
  offer($("leftList"), await unfinished(account), choose);
  show("ready");
}

// remembered chooses the language of the last recording.
function remembered() {
  const place = "recordLanguage", field = $("language");
  try {
    const last = localStorage.getItem(place);
    if ([...field.options].some(({ value }) => value === last)) field.value = last;
    field.addEventListener("change", () => { localStorage.setItem(place, field.value); });
  } catch { /* no storage: the language of the page */ }
}

// own has this tab record while no other one does.
function own() {
  const hold = () => {
    ready().catch(unable);
    return new Promise(() => {}); // until the tab is closed
  };
  navigator.locks.request("record", { ifAvailable: true }, (lock) => {
    if (lock) return hold();
    show("elsewhere");
    navigator.locks.request("record", hold);
  });
}

function unable() {
  page.hidden = true;
  $("missing").hidden = false;
}

if (missing()) {
  unable();
} else {
  page.hidden = false;
  $("tabs").hidden = !sharesTabs();
  $("go").addEventListener("click", go);
  $("stop").addEventListener("click", () => stop());
  $("discard").querySelector("button").addEventListener("click", discard);
  document.addEventListener("visibilitychange", () => { if (end && !document.hidden) keepAwake(); });
  addEventListener("beforeunload", (event) => { if (end || recording && recording.bytes > recording.sent) event.preventDefault(); });
  remembered();
  own();
}
