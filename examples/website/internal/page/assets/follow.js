// Follows a job to its end through all interruptions: a restart of the server, a broken
// connection, a sleeping laptop, an ended session, many tabs.
//
// A browser has six connections to a host for all its tabs, and a stream occupies one. So a
// page holds a stream only while it is visible, and only three streams are open at once. All
// other jobs are polled.

import { ask, parse } from "./base.js";
import { backoff, sleep } from "./pause.js";

const streams = 3; // open at once in all tabs of a browser
const asksEvery = 5, asksHidden = 20; // seconds, for a page without a stream
const silence = 45; // seconds after which a silent stream counts as broken
const checksEvery = 5; // seconds, by the clock, which continues while a laptop sleeps

const ended = (job) => ["success", "failed", "cancelled"].includes(job.status);

// follow calls tell with each new state of the job, in the API's form, and returns the last
// one. It calls said, if given, with the recognized text of finished parts; each stream begins
// with all of them. It calls lost with the seconds until the next try when the service cannot be reached,
// and with 0 when the service is back. It throws a Refusal if another try would not help:
// signed out, or no such job.
export async function follow(id, { tell, said, lost }) {
  const path = `/v1/transcript/job/${encodeURIComponent(id)}`;
  let last = {}, failures = 0, silent = 0;
  const see = (job) => {
    if (job?.jobId !== id) return last; // an answer about another job
    last = job;
    tell(job);
    return job;
  };
  for (;;) {
    const { told, closed = 0 } = await withStream(() => listen(path, (job) => { failures = 0; lost(0); return ended(see(job)); }, (part) => {
      if (part.jobId === id) said?.(part);
    }));
    if (ended(last)) return last;
    silent = told ? 0 : silent + 1; // do not ask for a refused stream again at once
    const rest = told === null && document.hidden ? asksHidden : told === null || silent > 1 ? asksEvery : Math.max(closed, 1);
    await sleep(rest);
    for (let asked = false; !asked;) {
      try {
        const job = see(await ask(path));
        asked = true;
        failures = 0;
        lost(0);
        if (ended(job)) return job;
      } catch (refusal) {
        if ([400, 401, 402, 403, 404].includes(refusal.status)) throw refusal;
        const seconds = Math.max(backoff(++failures), Math.min(refusal.retryAfter || 0, 300));
        lost(seconds);
        await sleep(seconds);
      }
    }
  }
}

let alone = false; // whether this page holds a stream without a lock

// withStream runs a function that holds a stream, if this page may; otherwise it returns {told:
// null}. Locks count the streams of all tabs. They exist only for https and on this machine:
// elsewhere each page holds one stream.
async function withStream(run) {
  if (document.hidden || alone) return { told: null };
  if (!navigator.locks) {
    alone = true;
    return run().finally(() => { alone = false; });
  }
  for (let n = 0; n < streams; n++) {
    const done = await navigator.locks.request(`stream ${n}`, { ifAvailable: true }, (lock) => lock ? run() : null);
    if (done) return done;
  }
  return { told: null };
}

// listen holds a stream until the stream or the job ends, or the page is hidden. It returns
// whether there were events, and for how many seconds the service wants no request.
function listen(path, tell, said) {
  return new Promise((resolve) => {
    const source = new EventSource(`/web${path}/events`);
    let told = false, heard = Date.now();
    const close = (closed = 0) => {
      source.close();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", hide);
      window.removeEventListener("online", anew);
      resolve({ told, closed });
    };
    const anew = () => close();
    const timer = setInterval(() => { if (Date.now() - heard > silence * 1000) anew(); }, checksEvery * 1000);
    const hide = () => { if (document.hidden) close(); };
    const hear = (event) => {
      const job = parse(event.data);
      if (!job) return;
      told = true;
      heard = Date.now();
      if (tell(job)) close();
    };
    source.addEventListener("job.segments", (event) => {
      heard = Date.now();
      const part = parse(event.data);
      if (part) said(part);
    });
    for (const name of ["job.snapshot", "job.progress", "job.completed", "job.failed", "job.cancelled"]) source.addEventListener(name, hear);
    source.addEventListener("stream.closing", (event) => close(Math.min(Math.max(Number(parse(event.data)?.retryMs) || 0, 0) / 1000, 60)));
    source.addEventListener("error", anew); // a request for the job tells the reason
    document.addEventListener("visibilitychange", hide);
    window.addEventListener("online", anew);
  });
}
