// Sends files one after the other and shows their progress, until the service has accepted or
// refused them.

import { parse } from "./base.js";
import { backoff, pause, size, sleep } from "./pause.js";
import { t } from "./strings.js";
import { Followed, fail, pageOf } from "./upload-follow.js";
import { Row } from "./upload-row.js";

const tries = 5; // of a file whose connection breaks, before the visitor is asked
const path = "/web/v1/transcript";

// Uploads is the list of files and their states. languages() returns the list of languages for
// the next file; empty: detect the language.
export class Uploads {
  #section; #list; #languages; #queue = []; #busy = false; #followed;

  constructor(section, list, languages) {
    this.#section = section;
    this.#list = list;
    this.#languages = languages;
    this.#followed = new Followed(section, list, () => this.#busy);
    addEventListener("beforeunload", (event) => { if (this.#busy) event.preventDefault(); });
  }

  // add takes chosen or dropped files. It refuses files that cannot be sent.
  add(files) {
    const most = Number(this.#section.dataset.max) || Infinity;
    for (const file of files) {
      const row = new Row(file.name);
      this.#list.append(row.element);
      if (file.size === 0) row.refuse(t("upload.empty"));
      else if (file.size > most) row.refuse(t("upload.tooLarge", { size: size(file.size), limit: size(most) }));
      else this.#enqueue(new Upload(file, this.#languages(), row));
    }
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
      if (upload.broken) upload.row.offer(() => this.#enqueue(upload));
      if (done && this.#list.children.length === 1) break; // the only file: show its page
      done = null;
      if (upload.job) this.#followed.add(upload.row, upload.job);
    }
    this.#busy = false;
    if (done) location.assign(done);
  }
}

// Upload is a file that is being sent. Its key lets it be sent again without making a second
// job.
class Upload {
  #file; #languages; #request = null; #canceled = false; #key = key();
  #stop; #cancellation = new Promise((resolve) => { this.#stop = resolve; });

  constructor(file, languages, row) {
    this.#file = file;
    this.#languages = languages;
    this.row = row;
    this.broken = false; // whether the connection broke more often than the module retries
    this.job = ""; // of the accepted file
  }

  cancel() {
    this.#canceled = true;
    this.#stop();
    this.#request?.abort();
    this.row.refuse(t("upload.canceled"));
  }

  // run returns the page of the result, or null.
  async run() {
    this.broken = false;
    for (let failures = 0; !this.#canceled;) {
      const { status, body, retryAfter } = await this.#send();
      if (this.#canceled) break;
      const wait = status === 0 ? backoff(failures + 1) : repeats(status, body) ? Math.max(retryAfter, backoff(failures + 1)) : 0;
      if (!wait) return this.#end(status, body);
      if (++failures === tries) {
        this.broken = true;
        break;
      }
      this.row.say(t("upload.repeats", { pause: pause(wait) }));
      await Promise.race([sleep(wait), this.#cancellation]); // the next files wait for this one
    }
    return null;
  }

  // #send returns the answer, with the status 0 if there is none.
  #send() {
    return new Promise((resolve) => {
      const form = new FormData();
      if (this.#languages) form.append("language", this.#languages);
      form.append("sendMetadata", "true");
      form.append("waitMs", "0");
      form.append("file", this.#file);
      const request = new XMLHttpRequest();
      const speed = new Speed();
      let said = 0;
      request.upload.addEventListener("progress", ({ loaded, total }) => {
        if (speed.at(loaded) - said < 0.4 && loaded < total) return;
        said = performance.now() / 1000;
        this.row.progress(loaded, total, speed);
      });
      request.upload.addEventListener("load", () => this.row.say(t("upload.reading")));
      request.addEventListener("loadend", () => resolve({
        status: request.status, body: parse(request.responseText) ?? {}, retryAfter: Math.min(Number(request.getResponseHeader("Retry-After")) || 0, 600),
      }));
      request.open("POST", path);
      request.setRequestHeader("Idempotency-Key", this.#key);
      this.#request = request;
      request.send(form);
    });
  }

  #end(status, body) {
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
    return null;
  }
}

// repeats reports whether a later try may succeed: the service is busy, or away.
function repeats(status, body) {
  return status === 429 || status === 408 || status >= 502 && !["NOT_IMPLEMENTED", "CONFIG_ERROR"].includes(body.error?.code) || body.error?.code === "IDEMPOTENCY_IN_PROGRESS";
}

// key returns a random key. crypto.randomUUID exists only for https and on this machine.
function key() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

// Speed measures the speed of the last seconds.
class Speed {
  #points = [];

  // at records the bytes sent so far, and returns the time in seconds.
  at(bytes) {
    const now = performance.now() / 1000;
    this.#points.push([now, bytes]);
    while (this.#points.length > 2 && now - this.#points[0][0] > 5) this.#points.shift();
    return now;
  }

  // perSecond is 0 while it is not known.
  get perSecond() {
    const [since, from] = this.#points[0], [now, to] = this.#points.at(-1);
    return now - since > 0.5 ? (to - from) / (now - since) : 0;
  }
}
