// Sends a recording to the service while it grows, as one upload that goes on after every break.
// The sound is a WAV file whose header leaves its length open.

import { parse, shownTo } from "./base.js";
import { backoff, sleep } from "./pause.js";
import { perSecond } from "./record-sound.js";
import { acknowledge, read, save } from "./record-store.js";

const create = "/web/v1/transcript", uploads = create + "/uploads/";
const patience = 60_000; // milliseconds, the longest wait for an answer
const largest = 512 * 1024, smallest = 32 * 1024; // bytes of a request
const every = 1000; // milliseconds between requests while the recording grows
const mostAgain = 6; // steps without progress, before the sender takes its time
const asksAgain = 10; // seconds, after the end of a session
const header = wavHeader();

// Sender sends one recording. show has
//   saved()        the service has more of the recording
//   begun(id)      an upload has begun
//   waits(reason)  "lost", "busy" or "signedOut": the sender tries again by itself; "" when it goes on
//   gone(seconds)  the service no longer has so much of the recording
export class Sender {
  #recording; #show; #known; #offset = 0; #most = largest; #finishing = false; #stopped = false; #wake = () => {}; #sentAt = 0;

  constructor(recording, show) {
    this.#recording = recording;
    this.#show = show;
    this.#known = !recording.upload;
    this.#finishing = recording.ended;
  }

  // run sends until the recording is finished. It returns the status and the body of the service's
  // last answer: a job, a text, or a refusal that another try would not change; null after stop.
  async run() {
    for (let failures = 0; !this.#stopped;) {
      const answer = await this.#step();
      if (answer.moved || answer.idle) {
        failures = 0;
        this.#show.waits("");
        await this.#pace(answer.idle);
      } else if (answer.again) {
        if (++failures > mostAgain) await sleep(backoff(failures));
      } else if (answer.status === 401) {
        this.#show.waits("signedOut");
        await sleep(asksAgain);
      } else if (answer.status === 0 || passes(answer)) {
        this.#show.waits(answer.status === 0 || answer.status >= 500 ? "lost" : "busy");
        await sleep(Math.max(answer.retryAfter, backoff(++failures)));
      } else {
        return answer;
      }
    }
    return null;
  }

  // more tells that the recording has grown.
  more() { this.#wake(); }

  // finish sends the rest and ends the upload.
  finish() {
    this.#finishing = true;
    this.#wake();
  }

  // stop ends run.
  stop() {
    this.#stopped = true;
    this.#wake();
  }

  // #pace waits until there is something to send, and while the recording grows for a second since
  // the last request. The next piece of sound wakes it, so it needs no timer, which browsers slow
  // down in hidden tabs.
  async #pace(idle) {
    const due = () => this.#finishing || this.#stopped || (performance.now() - this.#sentAt >= every && this.#recording.bytes > this.#recording.sent);
    if (!idle && this.#recording.bytes - this.#recording.sent > perSecond * 2) return; // it is behind
    while (!due()) await new Promise((resolve) => { this.#wake = resolve; });
  }

  #step() {
    if (!this.#recording.upload) return this.#begin();
    return this.#known ? this.#append() : this.#ask();
  }

  async #begin() {
    const recording = this.#recording;
    const answer = await exchange("POST", `${create}?${recording.fields}`, {
      "Content-Type": "audio/wav",
      "Content-Disposition": `inline; filename*=UTF-8''${encodeURIComponent(recording.name + ".wav")}`,
      "Idempotency-Key": recording.key,
      "Upload-Complete": "?0",
      "Upload-Draft-Interop-Version": "8",
    });
    // The page reaches the service under another path than the service knows.
    const id = /\/uploads\/([\w-]+)$/.exec(answer.header("Location"))?.[1];
    if (answer.status !== 201 || !id) return understood(answer);
    recording.upload = id;
    this.#known = true;
    this.#offset = 0;
    this.#most = Math.min(this.#most, Number(/max-append-size=(\d+)/.exec(answer.header("Upload-Limit"))?.[1]) || largest);
    await save(recording);
    this.#show.begun(id);
    return { again: true };
  }

  // #ask asks how much of the upload the service has.
  async #ask() {
    const answer = await exchange("HEAD", uploads + this.#recording.upload, {});
    return answer.status === 204 ? this.#has(answer) : this.#unlessGone(understood(answer));
  }

  async #append() {
    const recording = this.#recording;
    const start = header.slice(this.#offset), sound = await read(recording, this.#most);
    const last = this.#finishing && recording.sent + sound.size === recording.bytes;
    if (!sound.size && !last) return { idle: true };
    this.#known = false;
    this.#sentAt = performance.now();
    const answer = await exchange("PATCH", uploads + recording.upload, {
      "Content-Type": "application/partial-upload",
      "Upload-Complete": last ? "?1" : "?0",
      "Upload-Offset": this.#offset,
    }, new Blob([start, sound]));
    if (answer.status === 204 && !last) return this.#reached(this.#offset + start.length + sound.size);
    // A browser repeats a request by itself if the answer is lost: the service has the bytes already.
    const whole = answer.status === 400 && answer.header("Upload-Complete") === "?1" && sound.size > 0;
    if ((answer.status === 409 || whole) && answer.header("Upload-Offset")) return this.#has(answer);
    // A server on the way may take small requests only. It answers so, or cuts the connection.
    const tooLarge = answer.status === 413 && answer.body.error?.code !== "MEDIA_TOO_LARGE" && this.#most > smallest;
    if (tooLarge || answer.status === 0) this.#most = Math.max(this.#most / 2, smallest);
    if (tooLarge) return { again: true };
    return this.#unlessGone(last && (answer.body.jobId || answer.body.transcript) ? answer : understood(answer));
  }

  // #has takes in how many bytes of the upload the service has.
  async #has(answer) {
    const told = answer.header("Upload-Offset"), { bytes, sent, from } = this.#recording;
    const least = sent > from ? header.length + sent - from : 0;
    if (!/^\d+$/.test(told) || told < least || told > header.length + bytes - from) return this.#lost();
    return this.#reached(Number(told));
  }

  async #reached(offset) {
    this.#offset = offset;
    this.#known = true;
    const sent = this.#recording.from + Math.max(offset - header.length, 0);
    if (sent > this.#recording.sent) await acknowledge(this.#recording, sent);
    this.#show.saved();
    return { moved: true };
  }

  #unlessGone(answer) { return answer.status === 404 || answer.status === 410 ? this.#lost(answer) : answer; }

  // #lost begins another upload with all that is still here.
  async #lost(answer) {
    const recording = this.#recording;
    this.#show.gone((recording.sent - recording.from) / perSecond);
    if (this.#finishing && recording.sent === recording.bytes) return answer ?? { status: 404, body: {} };
    Object.assign(recording, { from: recording.sent, upload: "", key: crypto.randomUUID() });
    await save(recording);
    return { again: true };
  }
}

// cancel removes the upload of a recording from the service.
export function cancel({ upload }) {
  if (upload) fetch(uploads + upload, { method: "DELETE", keepalive: true, headers: shownTo }).catch(() => {}); // the service's sweep does it later
}

// passes reports whether a later try may succeed: the service is busy, or away.
function passes({ status, body }) {
  return status === 429 || status === 408 || status >= 500 && !["NOT_IMPLEMENTED", "CONFIG_ERROR"].includes(body.error?.code) || body.error?.code === "IDEMPOTENCY_IN_PROGRESS";
}

// understood returns an answer, or a fault in its place if it is a success that does not come from the
// service: something on the way has answered.
function understood(answer) { return answer.status < 400 ? { ...answer, status: 502 * (answer.status > 0) } : answer; }

async function exchange(method, path, headers, body) {
  try {
    const answer = await fetch(path, { method, headers: { ...headers, ...shownTo }, body, redirect: "manual", signal: AbortSignal.timeout(patience) });
    const text = await answer.text();
    return {
      status: answer.type === "opaqueredirect" ? 401 : answer.status, body: parse(text) ?? {}, header: (name) => answer.headers.get(name) ?? "",
      retryAfter: Math.min(Number(answer.headers.get("Retry-After")) || 0, 600),
    };
  } catch {
    return { status: 0, body: {}, header: () => "", retryAfter: 0 };
  }
}

// wavHeader returns the header of a WAV file of one channel with 16-bit samples at 16 kHz. Its
// lengths are the largest numbers, which means that they are not known.
function wavHeader() {
  const bytes = new Uint8Array(44), view = new DataView(bytes.buffer);
  for (const [at, word] of [[0, "RIFF"], [8, "WAVEfmt "], [36, "data"]]) bytes.set(new TextEncoder().encode(word), at);
  for (const [at, number] of [[4, 0xffffffff], [16, 16], [24, perSecond / 2], [28, perSecond], [40, 0xffffffff]]) view.setUint32(at, number, true);
  for (const [at, number] of [[20, 1], [22, 1], [32, 2], [34, 16]]) view.setUint16(at, number, true);
  return bytes;
}
