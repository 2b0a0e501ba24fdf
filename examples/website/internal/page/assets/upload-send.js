// Sends a file to the service: a small file in one request, and a large file so that the upload
// goes on after a break where it was.

import { parse, shownTo } from "./base.js";
import { forget, recall, remember } from "./upload-begun.js";

const large = 16 * 1024 ** 2; // bytes
const stalled = 60_000; // milliseconds without a byte, after which a connection has broken
const create = "/web/v1/transcript";
export const uploads = create + "/uploads/";
let formsOnly = false; // the service takes whole files alone

// Sender sends a file, request by request. show has progress(sent, all, speed), received(), which
// is called when all bytes are sent, and resumes(sent, all).
export class Sender {
  #file; #fields; #account; #show; #key = key(); #request = null;
  #form = false; #id = ""; #offset = 0; #known = false; #most = Infinity; #renewed = false;

  constructor(file, fields, account, show) {
    this.sent = 0; // bytes, as far as the connection has taken them
    this.#file = file;
    this.#fields = fields;
    this.#account = account;
    this.#show = show;
  }

  // step sends one request, and returns its answer: the status (0 without an answer), the body,
  // the seconds to wait, more: whether the next step follows at once, and moved: whether the
  // service has more of the file than before.
  async step() {
    if (this.#form || formsOnly || this.#file.size < large) return this.#whole();
    if (!this.#id) return this.#begin();
    return this.#known ? this.#append() : this.#ask();
  }

  // resumable reports whether the file goes on after a break.
  get resumable() { return this.#id !== ""; }

  // cancel ends the request that is on its way, and removes what the service has.
  cancel() {
    this.#request?.abort();
    this.remove();
  }

  // remove removes what the service has of the file.
  remove() {
    if (!this.#id) return;
    fetch(uploads + this.#id, { method: "DELETE", keepalive: true, headers: shownTo }).catch(() => {}); // the service's sweep does it later
    this.done();
  }

  // done forgets the upload, which has its answer.
  done() { forget(this.#id); }

  async #whole() {
    const form = new FormData();
    for (const [name, value] of this.#fields) form.append(name, value);
    form.append("file", this.#file);
    const answer = await this.#exchange("POST", create, { "Idempotency-Key": this.#key }, form);
    if (this.#form && answer.status > 0 && answer.status < 300) formsOnly = true;
    return answer;
  }

  async #begin() {
    const fields = new URLSearchParams(this.#fields).toString();
    this.#id = recall(this.#account, this.#file, fields);
    if (this.#id) return { more: true };
    const answer = await this.#exchange("POST", `${create}?${fields}`, {
      "Content-Type": "application/octet-stream",
      "Content-Disposition": `inline; filename*=UTF-8''${encodeURIComponent(this.#file.name)}`,
      "Idempotency-Key": this.#key,
      "Upload-Complete": "?0",
      "Upload-Draft-Interop-Version": "8",
      "Upload-Length": this.#file.size,
    });
    // The page reaches the service under another path than the service knows.
    const id = /\/uploads\/([\w-]+)$/.exec(answer.header("Location"))?.[1];
    if (answer.status === 201 && answer.header("Upload-Complete") === "?0" && id) {
      this.#id = id;
      this.#known = true;
      this.#most = Number(/max-append-size=(\d+)/.exec(answer.header("Upload-Limit"))?.[1]) || Infinity;
      remember(this.#account, this.#file, fields, id);
      return { more: true };
    }
    if (![400, 404, 405, 415].includes(answer.status) && !(answer.status >= 200 && answer.status < 300)) return answer;
    this.#form = true;
    return { more: true };
  }

  // #ask asks how much of the file the service has.
  async #ask() {
    const answer = await this.#exchange("HEAD", uploads + this.#id, {});
    if (answer.status !== 204) return this.#unlessGone(answer);
    const before = this.#offset;
    if (!this.#has(answer)) return { ...answer, status: 500 };
    if (this.#offset > 0) this.#show.resumes(this.#offset, this.#file.size);
    return { more: true, moved: this.#offset > before };
  }

  async #append() {
    const from = this.#offset, to = Math.min(from + this.#most, this.#file.size), last = to === this.#file.size;
    this.#known = false;
    const answer = await this.#exchange("PATCH", uploads + this.#id, {
      "Content-Type": "application/partial-upload",
      "Upload-Complete": last ? "?1" : "?0",
      "Upload-Offset": from,
    }, this.#file.slice(from, to));
    if (answer.header("Upload-Complete") === "?1") return answer;
    if (answer.status === 409 && answer.header("Upload-Offset") !== "") {
      return this.#has(answer) ? { ...answer, status: 0, moved: this.#offset > from } : { ...answer, status: 500 };
    }
    if (answer.status === 204 && !last) {
      this.#offset = to;
      this.#known = true;
      return { more: true, moved: true };
    }
    return this.#unlessGone(answer);
  }

  // #has takes in how many bytes the service has. It reports whether that can be.
  #has(answer) {
    const told = answer.header("Upload-Offset"), n = Number(told);
    if (!/^\d+$/.test(told) || n < this.#offset || n > this.#file.size) return false;
    this.#offset = n;
    this.#known = true;
    return true;
  }

  // #unlessGone begins again if the service no longer has the upload: once.
  #unlessGone(answer) {
    if (answer.status !== 404 && answer.status !== 410 || this.#renewed) return answer;
    forget(this.#id);
    this.#renewed = true;
    this.#id = "";
    this.#offset = 0;
    this.#key = key();
    return { more: true };
  }

  #exchange(method, path, headers, body) {
    return new Promise((resolve) => {
      const request = this.#request = new XMLHttpRequest(), speed = new Speed(), from = method === "PATCH" ? this.#offset : 0;
      let said = 0, timer = 0;
      const alive = () => {
        clearTimeout(timer);
        if (method === "PATCH") timer = setTimeout(() => request.abort(), stalled);
      };
      request.upload.addEventListener("progress", ({ loaded, total }) => {
        alive();
        this.sent = from + loaded;
        if (speed.at(loaded) - said < 0.4 && loaded < total) return;
        said = performance.now() / 1000;
        this.#show.progress(this.sent, from ? this.#file.size : Math.max(total, this.#file.size), speed);
      });
      request.upload.addEventListener("load", () => {
        clearTimeout(timer);
        if (body) this.#show.received();
      });
      request.addEventListener("loadend", () => {
        clearTimeout(timer);
        resolve({
          status: request.status, body: parse(request.responseText) ?? {}, header: (name) => request.getResponseHeader(name) ?? "",
          retryAfter: Math.min(Number(request.getResponseHeader("Retry-After")) || 0, 600),
        });
      });
      request.open(method, path);
      for (const [name, value] of Object.entries({ ...headers, ...shownTo })) request.setRequestHeader(name, value);
      alive();
      request.send(body);
    });
  }
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
