// Sends files one after the other and shows their progress, until the service has accepted or
// refused them.

import { notice, signedOut } from "./base.js";
import { backoff, pause, size, sleep } from "./pause.js";
import { t } from "./strings.js";
import { Followed, fail, pageOf } from "./upload-follow.js";
import { Left } from "./upload-left.js";
import { Row } from "./upload-row.js";
import { Sender } from "./upload-send.js";

const tries = 5; // that bring a file no further, before the visitor is asked

// Uploads is the list of files and their states. languages() returns the list of languages for
// the next file; empty: detect the language.
export class Uploads {
  #section; #list; #languages; #queue = []; #busy = false; #followed; #left;

  constructor(section, list, languages) {
    this.#section = section;
    this.#list = list;
    this.#languages = languages;
    this.#followed = new Followed(section, list, () => this.#busy);
    this.#left = new Left(list, section.dataset.account);
    addEventListener("beforeunload", (event) => { if (this.#busy || list.querySelector("[data-unsent]")) event.preventDefault(); });
  }

  // add takes chosen or dropped files. It refuses files that cannot be sent.
  add(files) {
    const most = Number(this.#section.dataset.max) || Infinity;
    for (const file of files) {
      const row = new Row(file.name);
      this.#left.chosen(file);
      this.#list.append(row.element);
      if (file.size === 0) this.#refuse(row, t("upload.empty"));
      else if (file.size > most) this.#refuse(row, t("upload.tooLarge", { size: size(file.size), limit: size(most) }));
      else this.#enqueue(new Upload(file, this.#languages(), this.#section.dataset.account, row));
    }
  }

  #refuse(row, why) {
    row.refuse(why);
    this.#followed.refused(row);
  }

  #enqueue(upload) {
    upload.row.wait(() => upload.cancel());
    this.#queue.push(upload);
    this.#work();
  }

  async #work() {
    if (this.#busy) return;
    this.#busy = true;
    let done = null;
    for (let upload; (upload = this.#queue.shift());) {
      done = await upload.run();
      if (upload.broken) upload.row.offer(() => this.#enqueue(upload), upload.signedOut);
      if (done && this.#list.children.length === 1) break; // the only file: show its page
      done = null;
      if (upload.job) this.#followed.add(upload.row, upload.job);
      else if (upload.refused) this.#followed.refused(upload.row);
    }
    this.#busy = false;
    if (done) location.assign(done);
  }
}

// Upload is a file that is being sent. It can be sent again without making a second job. more are
// fields that the page does not show.
export class Upload {
  #sender; #canceled = false;
  #stop; #cancellation = new Promise((resolve) => { this.#stop = resolve; });

  constructor(file, languages, account, row, more = []) {
    const fields = [["sendMetadata", "true"], ["waitMs", "0"], ...more];
    if (languages) fields.push(["language", languages]);
    const keep = keepFor(file);
    if (keep !== "0") fields.push(["keepMediaSec", keep]);
    for (const name of ["speakers", "channels", "audioTrack"]) {
      const wish = document.getElementById(name)?.value.trim() ?? "";
      if (wish && wish !== "mix") fields.push([name, wish]);
    }
    this.#sender = new Sender(file, fields, account, {
      progress: (sent, all, speed) => row.progress(sent, all, speed),
      received: () => row.say(t("upload.reading")),
      resumes: (sent, all) => row.say(t("upload.resumes", { sent: size(sent), all: size(all) })),
    });
    this.row = row;
    this.broken = false; // whether the visitor has to send the file again
    this.signedOut = false; // whether that is because the session has ended, and not the connection
    this.job = ""; // of the accepted file
    this.refused = false; // or canceled
  }

  cancel() {
    this.#canceled = true;
    this.#stop();
    this.#sender.cancel();
    this.row.refuse(t("upload.canceled"));
    this.refused = true;
  }

  // run returns the page of the result, or null.
  async run() {
    this.broken = this.signedOut = false;
    for (let failures = 0; !this.#canceled;) {
      const { status, body, retryAfter, more, moved } = await this.#sender.step();
      if (this.#canceled) break;
      if (moved) failures = 0;
      if (more) continue;
      if (status === 401) {
        this.broken = this.signedOut = true;
        signedOut();
        break;
      }
      const wait = status === 0 ? backoff(failures + 1) : repeats(status, body) ? Math.max(retryAfter, backoff(failures + 1)) : 0;
      if (!wait) return this.#end(status, body);
      if (++failures === tries) {
        this.broken = true;
        break;
      }
      this.row.say(this.#waits(status, wait));
      await Promise.race([sleep(wait), this.#cancellation]); // the next files wait for this one
    }
    return null;
  }

  #waits(status, wait) {
    const sent = this.#sender.sent;
    if (status === 0 && sent > 0 && this.#sender.resumable) return t("upload.goesOn", { sent: size(sent), pause: pause(wait) });
    return t("upload.repeats", { pause: pause(wait) });
  }

  #end(status, body) {
    const taken = status === 200 || status === 202;
    taken ? this.#sender.done() : this.#sender.remove();
    if (status === 202 && body.jobId) {
      this.job = body.jobId;
      return this.row.lead(t("upload.accepted"), "/jobs/" + encodeURIComponent(body.jobId));
    }
    const text = body.transcript;
    if (status === 200 && text?.externalId) {
      return this.row.lead(t("upload.ready"), pageOf(text));
    }
    const error = typeof body.error === "string" ? { code: body.error.toUpperCase() } : body.error ?? {};
    fail(this.row, error);
    this.refused = true;
    return null;
  }
}

// keepFor returns the seconds for which the service keeps a file. A file that has no room is sent
// without being kept, and the visitor is told.
function keepFor({ name, size: bytes }) {
  const choice = document.getElementById("keepMediaSec");
  if (!choice || choice.value === "0") return "0";
  const room = Number(choice.dataset.room ?? Infinity);
  if (bytes > room) {
    notice(t("keep.noRoom", { name, left: size(room) }));
    return "0";
  }
  choice.dataset.room = room - bytes;
  return choice.value;
}

// repeats reports whether a later try may succeed: the service is busy, or away.
function repeats(status, body) {
  return status === 429 || status === 408 || status >= 502 && !["NOT_IMPLEMENTED", "CONFIG_ERROR"].includes(body.error?.code) || body.error?.code === "IDEMPOTENCY_IN_PROGRESS";
}
