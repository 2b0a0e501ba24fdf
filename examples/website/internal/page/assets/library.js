// Keeps the library's page up to date: it follows work in progress, which becomes a text in its
// place.

import "./star.js";
import { ask, explain } from "./base.js";
import { t, text } from "./strings.js";
import { undoable } from "./undo.js";

// The address holds the state of the list. It leaves out default values.
document.querySelector(".filters").addEventListener("formdata", ({ formData }) => {
  for (const [name, value] of [...formData]) if (!value) formData.delete(name);
});

const list = document.getElementById("rows");
list?.addEventListener("deleted", () => {
  if (list.querySelector("[data-row]:not([hidden])")) renew().catch(() => {}); // the next page shows an error
  else if (!undoable()) location.reload();
});

const busy = () => [...document.querySelectorAll("[data-busy]:not([hidden])")];

// renew replaces the rows that have changed. It reports whether there was a change.
async function renew() {
  const now = await (await import("./renew.js")).page();
  let changed = false;
  for (const row of document.querySelectorAll("[data-row]:not([hidden])")) {
    const fresh = now.getElementById(row.id);
    if (!fresh) changed = await left(row) || changed;
    else if (fresh.dataset.state !== row.dataset.state) {
      replace(row, fresh);
      changed = true;
    } else if (!watched.has(row.dataset.job)) { // the progress of other work
      const going = fresh.querySelector(".going");
      if (going) row.querySelector(".going")?.replaceWith(going);
    }
  }
  if (!list.querySelector("[data-row]")) location.reload(); // the page of an empty list
  for (const id of ["count", "pages"]) {
    const fresh = now.getElementById(id);
    if (fresh) document.getElementById(id)?.replaceWith(fresh);
  }
  watch();
  return changed;
}

// replace keeps the keyboard focus.
function replace(row, fresh) {
  const kept = [...row.querySelectorAll("a, button")].indexOf(document.activeElement);
  row.replaceWith(fresh);
  if (kept >= 0) (fresh.querySelectorAll("a, button")[kept] ?? fresh.querySelector("a")).focus();
}

// left handles a row that is no longer in the list: failed work shows its failure and a link to
// the reason, and other rows disappear.
async function left(row) {
  if (!row.dataset.job) return false;
  const job = await ask(`/v1/transcript/job/${row.dataset.job}`).catch(() => null); // the next poll shows an error
  if (["success", "cancelled"].includes(job?.status)) { // the row is on another page, or gone
    row.remove();
    return true;
  }
  if (job?.status !== "failed") return false;
  delete row.dataset.busy;
  const told = document.createElement("span");
  told.className = "bad";
  told.textContent = t("library.failedWhy", { why: (await explain(job.error)).says || t("problem.fault") });
  row.querySelector(".state")?.replaceWith(told);
  row.querySelector("progress")?.remove();
  row.querySelector(".left")?.remove();
  return true;
}

// watch follows the first rows in progress. Polling updates the others.
const most = 2, watched = new Set(); // jobs, including ended ones: none is followed twice
let following = 0;

function watch() {
  for (const row of busy().filter((row) => row.dataset.job && !watched.has(row.dataset.job)).slice(0, most - following)) {
    const { job } = row.dataset;
    watched.add(job);
    following++;
    followed(job).finally(() => { following--; }).then(() => look(true), () => {}); // a refusal would come again
  }
}

// followed follows a job to its end. The modules for that are loaded with the first one, because
// most visits find no work in progress.
async function followed(job) {
  const [{ follow }, { Remaining }, { pause }] = await Promise.all([import("./follow.js"), import("./remaining.js"), import("./pause.js")]);
  const remaining = new Remaining();
  const left = (percent, seconds) => seconds > 0 ? t("one.left", { percent, pause: pause(seconds) }) : t("one.percent", { percent });
  return follow(job, { tell: (now) => tell(now, (fraction) => left(Math.floor(100 * fraction), remaining.after(fraction))), lost() {} });
}

// tell shows a job in its row: the stage, the percentage, and what is left of the time.
function tell({ jobId, stage, progress }, say) {
  const going = document.querySelector(`[data-job="${CSS.escape(jobId)}"] .going`);
  const state = going?.querySelector(".state");
  if (!state) return;
  state.textContent = stageName(stage);
  const fraction = progress?.fraction;
  if (!(fraction >= 0 && fraction <= 1)) return;
  let bar = going.querySelector("progress"), left = going.querySelector(".left");
  if (!bar) {
    bar = document.createElement("progress");
    bar.setAttribute("aria-label", t("library.progress"));
    bar.max = 100;
    left = document.createElement("span");
    left.className = "left";
    state.after(" ", bar, " ", left);
  }
  bar.value = 100 * fraction;
  left.textContent = say(fraction);
}

// stageName returns a stage in words, also for stages of a newer service.
function stageName(stage) {
  return text("stage." + stage) || t("job.working");
}

// Without a stream the module polls the list, less often while nothing changes.
const shortest = 2_000, longest = 30_000; // milliseconds
let pause = shortest, timer;

async function look(now = false) {
  clearTimeout(timer);
  if (document.hidden || busy().length === 0) return;
  if (now) {
    const changed = await renew().catch(() => false); // the next poll shows an error
    pause = changed ? shortest : Math.min(pause * 1.5, longest);
  }
  timer = setTimeout(() => look(true), pause);
}

document.addEventListener("visibilitychange", () => look(true));
addEventListener("pageshow", ({ persisted }) => { if (persisted) look(true); });
watch();
look();
