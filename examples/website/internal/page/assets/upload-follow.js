// Follows the jobs of accepted files to their ends, each in the row of its file.

import { explain } from "./base.js";
import { follow } from "./follow.js";
import { clock, pause } from "./pause.js";
import { refusals, t, text } from "./strings.js";
import { tell } from "./tell.js";
import { keep, kept } from "./upload-kept.js";
import { Row } from "./upload-row.js";

// Followed are the accepted files in the list, also those from before a reload of the page.
// sending reports whether more files are on their way to the service.
export class Followed {
  #account; #sending; #files = new Set(); #sum; #clear;

  constructor(section, list, sending) {
    this.#account = section.dataset.account;
    this.#sending = sending;
    this.#sum = document.getElementById("queueSum");
    this.#clear = document.getElementById("queueClear");
    refusals(); // a waiting job has a reason
    this.#clear.addEventListener("click", () => this.#forget((file) => file.ended));
    for (const { name, job } of kept(this.#account)) {
      const row = new Row(name);
      list.append(row.element);
      row.lead(t("upload.accepted"), jobPath(job));
      this.add(row, job);
    }
  }

  // add follows the job of a file until it ends.
  async add(row, job) {
    const file = { row, job, ended: false, failed: false };
    this.#files.add(file);
    this.#changed();
    try {
      file.failed = !end(row, job, await this.#watch(row, job));
    } catch (refusal) {
      if (refusal.status === 404) { // the service keeps ended jobs for some days
        this.#forget((other) => other === file);
        return;
      }
      file.failed = true;
      row.refuse(refusal.message);
    }
    file.ended = true;
    this.#changed();
    this.#announce();
  }

  // refused counts a file that has no job.
  refused(row) {
    this.#files.add({ row, job: "", ended: true, failed: true });
    this.#changed();
  }

  #watch(row, job) {
    let standing = t("upload.accepted");
    return follow(job, {
      tell: (now) => row.work(standing = stateOf(now), now.progress?.fraction),
      lost: (seconds) => row.say(seconds ? t("job.lost", { pause: pause(seconds) }) : standing),
    });
  }

  #forget(which) {
    for (const file of [...this.#files].filter(which)) {
      this.#files.delete(file);
      file.row.element.remove();
    }
    this.#changed();
  }

  #changed() {
    const files = [...this.#files], ended = files.filter((file) => file.ended);
    keep(this.#account, files.filter(({ job }) => job).map(({ row, job }) => ({ name: row.name, job })));
    this.#sum.textContent = files.length > 1 ? sum(files.length, ended) : "";
    if (this.#clear.contains(document.activeElement) && !ended.length) document.getElementById("files").focus();
    this.#clear.hidden = !ended.length;
  }

  #announce() {
    const files = [...this.#files];
    if (this.#sending() || files.some((file) => !file.ended)) return;
    tell(files.length === 1 ? files[0].row.name : "", sum(files.length, files));
  }
}

// sum tells how many files have ended, and how many of them failed.
function sum(all, ended) {
  const failed = ended.filter((file) => file.failed).length;
  return [t("upload.sum", { done: ended.length - failed, count: all }), failed ? t("upload.sumFailed", { count: failed }) : ""].filter(Boolean).join(" ");
}

const jobPath = (job) => "/jobs/" + encodeURIComponent(job);

// stateOf tells how a job stands: its stage, the recognized part of the speech, and why it waits.
function stateOf({ stage, status, attempt, progress, lastError }) {
  const words = [text("stage." + stage) || t("job.working")];
  if (progress?.totalSec > 0) words.push(t("job.heard", { done: clock(Number(progress.processedSec) || 0), all: clock(progress.totalSec) }));
  if (lastError && (status === "pending" || attempt > lastError.attempt)) words.push(text("says." + lastError.code));
  return words.filter(Boolean).join(" · ");
}

// end shows the end of a job, and reports whether there is a text. The last event of a stream has
// no text if the text is long, or if the job ended before the stream began. Then the row leads to
// the page of the job, which leads to the text.
function end(row, job, { status, error, transcript: done }) {
  if (status === "success") row.lead(t("upload.ready"), done?.externalId ? pageOf(done) : jobPath(job));
  else if (status === "cancelled") row.refuse(t("upload.canceled"));
  else fail(row, error ?? {});
  return status === "success";
}

// fail shows why a file was refused or failed, and what the visitor can do.
export async function fail(row, error) {
  const { says, cure } = await explain(error);
  row.refuse([says || t("problem.fault"), cure].filter(Boolean).join(" "), error.actionUrl, error.actionLabel);
}

// pageOf returns the page of a text.
export function pageOf({ platform, externalId, lang }) {
  return `/transcripts/${encodeURIComponent(platform)}/${encodeURIComponent(externalId)}?language=${encodeURIComponent(lang)}`;
}
