// Keeps the library's page as the library is: work on its way is followed, and becomes a
// text in its place.

import "./star.js";
import { ask, sentence } from "./base.js";
import { follow } from "./follow.js";
import { page } from "./renew.js";
import { t } from "./strings.js";
import { undoable } from "./undo.js";

// The state of the list is its address: what was not chosen is not said in it.
document.querySelector(".filters").addEventListener("formdata", ({ formData }) => {
  for (const [name, value] of [...formData]) if (!value) formData.delete(name);
});

const list = document.getElementById("rows");
list?.addEventListener("deleted", () => {
  if (list.querySelector("[data-row]:not([hidden])")) renew().catch(() => {}); // the next page will tell
  else if (!undoable()) location.reload();
});

const busy = () => [...document.querySelectorAll("[data-busy]:not([hidden])")];

// renew puts rows that have changed into the places of those that are shown. It reports
// whether anything has changed.
async function renew() {
  const now = await page();
  let changed = false;
  for (const row of document.querySelectorAll("[data-row]:not([hidden])")) {
    const fresh = now.getElementById(row.id);
    if (!fresh) changed = await left(row) || changed;
    else if (fresh.dataset.state !== row.dataset.state) {
      replace(row, fresh);
      changed = true;
    }
  }
  if (!list.querySelector("[data-row]")) location.reload(); // to what an empty list says
  for (const id of ["count", "pages"]) {
    const fresh = now.getElementById(id);
    if (fresh) document.getElementById(id)?.replaceWith(fresh);
  }
  watch();
  return changed;
}

// replace keeps the keyboard where it is.
function replace(row, fresh) {
  const kept = [...row.querySelectorAll("a, button")].indexOf(document.activeElement);
  row.replaceWith(fresh);
  if (kept >= 0) (fresh.querySelectorAll("a, button")[kept] ?? fresh.querySelector("a")).focus();
}

// left is what becomes of a row that the list does not have any more: work that has
// failed says so, and where to read why; what is not shown here any more goes.
async function left(row) {
  if (!row.dataset.job) return false;
  const job = await ask(`/v1/transcript/job/${row.dataset.job}`).catch(() => null); // the next look will tell
  if (["success", "cancelled"].includes(job?.status)) { // it is on another page, or nowhere
    row.remove();
    return true;
  }
  if (job?.status !== "failed") return false;
  delete row.dataset.busy;
  const told = document.createElement("span");
  told.className = "bad";
  told.textContent = t("library.failedWhy", { why: sentence(job.error) });
  row.querySelector(".state")?.replaceWith(told);
  row.querySelector("progress")?.remove();
  return true;
}

// watch follows the first that are on their way. The others show when the list is asked.
const most = 2, watched = new Set(); // jobs, also those that have ended: none is followed twice
let following = 0;

function watch() {
  for (const row of busy().filter((row) => row.dataset.job && !watched.has(row.dataset.job)).slice(0, most - following)) {
    const { job } = row.dataset;
    watched.add(job);
    following++;
    follow(job, { tell, lost() {} }).finally(() => { following--; }).then(() => look(true), () => {}); // a refusal would come again
  }
}

// tell shows a job where it stands in the list.
function tell({ jobId, stage, progress }) {
  const row = document.querySelector(`[data-job="${CSS.escape(jobId)}"]`);
  const state = row?.querySelector(".state");
  if (!state) return;
  state.textContent = stageName(stage);
  if (!(progress?.fraction >= 0)) return;
  let bar = row.querySelector("progress");
  if (!bar) {
    bar = document.createElement("progress");
    bar.setAttribute("aria-label", t("library.progress"));
    state.after(bar);
  }
  bar.value = progress.fraction;
}

// stageName is a stage in words, also one that a newer service has.
function stageName(stage) {
  const name = t("stage." + stage);
  return name === "stage." + stage ? t("job.working") : name;
}

// Without a stream the list is asked, less often while nothing moves.
const shortest = 2_000, longest = 30_000; // milliseconds
let pause = shortest, timer;

async function look(now = false) {
  clearTimeout(timer);
  if (document.hidden || busy().length === 0) return;
  if (now) {
    const changed = await renew().catch(() => false); // the next look will tell
    pause = changed ? shortest : Math.min(pause * 1.5, longest);
  }
  timer = setTimeout(() => look(true), pause);
}

document.addEventListener("visibilitychange", () => look(true));
addEventListener("pageshow", ({ persisted }) => { if (persisted) look(true); });
watch();
look();
