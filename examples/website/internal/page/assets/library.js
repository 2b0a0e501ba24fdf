// Keeps the library's page as the library is: work on its way is followed, and becomes a
// text in its place.

import "./star.js";
import { ask } from "./base.js";
import { t } from "./strings.js";
import { undoable } from "./undo.js";

// The state of the list is its address: what was not chosen is not said in it.
document.querySelector(".filters").addEventListener("formdata", ({ formData }) => {
  for (const [name, value] of [...formData]) if (!value) formData.delete(name);
});

const list = document.getElementById("rows");
list?.addEventListener("deleted", () => {
  if (list.querySelector("[data-row]:not([hidden])")) renew();
  else if (!undoable()) location.reload();
});

const followed = 2; // jobs with a stream of their own: browsers open few connections
const streams = new Map(); // by job

const busy = () => [...document.querySelectorAll("[data-busy]:not([hidden])")];

// page is this page as the server renders it now.
function page() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", location.href);
    request.responseType = "document";
    request.onload = () => request.status === 200 && request.response ? resolve(request.response) : reject(new Error(request.statusText));
    request.onerror = request.ontimeout = () => reject(new Error());
    request.timeout = 30_000;
    request.send();
  });
}

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
  for (const id of ["count", "pages"]) {
    const fresh = now.getElementById(id);
    if (fresh) document.getElementById(id)?.replaceWith(fresh);
  }
  follow();
  return changed;
}

// replace keeps the keyboard where it is.
function replace(row, fresh) {
  const kept = [...row.querySelectorAll("a, button")].indexOf(document.activeElement);
  row.replaceWith(fresh);
  if (kept >= 0) (fresh.querySelectorAll("a, button")[kept] ?? fresh.querySelector("a")).focus();
}

// left is what becomes of a row that the list does not have any more: work that has
// failed says so, and where to read why.
async function left(row) {
  if (!row.dataset.job) return false;
  const job = await ask(`/v1/transcript/job/${row.dataset.job}`);
  if (job.status !== "failed") return false;
  delete row.dataset.busy;
  const told = document.createElement("span");
  told.className = "bad";
  told.textContent = t("library.failedWhy", { why: job.error.message });
  row.querySelector(".state")?.replaceWith(told);
  row.querySelector("progress")?.remove();
  return true;
}

// follow opens and closes streams, so that the first that are on their way have one as
// long as the page is looked at.
function follow() {
  const jobs = document.hidden ? [] : busy().map((row) => row.dataset.job).filter(Boolean).slice(0, followed);
  for (const [job, stream] of streams) {
    if (jobs.includes(job)) continue;
    stream.close();
    streams.delete(job);
  }
  for (const job of jobs) if (!streams.has(job)) streams.set(job, stream(job));
}

function stream(job) {
  const events = new EventSource(`/web/v1/transcript/job/${job}/events`);
  const tell = ({ data }) => {
    const row = document.querySelector(`[data-job="${CSS.escape(job)}"]`);
    const state = row?.querySelector(".state");
    if (!state) return;
    const { stage, progress } = JSON.parse(data);
    state.textContent = t("stage." + stage);
    if (!progress) return;
    let bar = row.querySelector("progress");
    if (!bar) {
      bar = document.createElement("progress");
      bar.setAttribute("aria-label", t("library.progress"));
      state.after(bar);
    }
    bar.value = progress.fraction;
  };
  events.addEventListener("job.snapshot", tell);
  events.addEventListener("job.progress", tell);
  for (const end of ["job.completed", "job.failed", "job.cancelled"]) {
    events.addEventListener(end, () => { events.close(); look(true); });
  }
  return events;
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

document.addEventListener("visibilitychange", () => { follow(); look(true); });
addEventListener("pagehide", () => { for (const stream of streams.values()) stream.close(); streams.clear(); });
follow();
look();
