// Follows a job to its end, whatever happens on the way: a server that stops and starts
// again, a line that breaks, a laptop that sleeps, a session that ends, many tabs.
//
// A browser has six connections to a host, for all its tabs together, and a stream holds
// one. So a page holds a stream only while it is looked at, and only three pages do at
// once; the others ask from time to time.

import { ask, parse } from "./base.js";
import { backoff, sleep } from "./pause.js";

const streams = 3; // open in a browser at once
const asksEvery = 5, asksHidden = 20; // seconds, of a page without a stream
const silence = 45; // seconds after which a stream that says nothing is doubted
const checksEvery = 5; // seconds: by the clock, which goes on while a laptop sleeps

const ended = (job) => ["success", "failed", "cancelled"].includes(job.status);

// follow tells of each state that is seen, a job as the API describes it, and returns the
// last one. lost is called with a number of seconds when the service cannot be reached,
// and is to be tried again then, and with 0 when it is there again. A Refusal is thrown
// where that would not help: signed out, or no such job.
export async function follow(id, { tell, lost }) {
  const path = `/v1/transcript/job/${encodeURIComponent(id)}`;
  let last = {}, failures = 0, silent = 0;
  const see = (job) => {
    if (job?.jobId !== id) return last; // nonsense
    last = job;
    tell(job);
    return job;
  };
  for (;;) {
    const { told, closed = 0 } = await withStream(() => listen(path, (job) => { failures = 0; lost(0); return ended(see(job)); }));
    if (ended(last)) return last;
    silent = told ? 0 : silent + 1; // a stream that is refused is not asked for again at once
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

// withStream runs what holds a stream, if this page may: else it returns {told: null}.
async function withStream(run) {
  if (document.hidden) return { told: null };
  if (!navigator.locks) return run(); // they are there for https and this machine alone
  for (let n = 0; n < streams; n++) {
    const done = await navigator.locks.request(`stream ${n}`, { ifAvailable: true }, (lock) => lock ? run() : null);
    if (done) return done;
  }
  return { told: null };
}

// listen holds a stream until it ends, the job does, or nobody looks. It returns whether
// anything was told, and for how many seconds the service wants to be left alone.
function listen(path, tell) {
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
    for (const name of ["job.snapshot", "job.progress", "job.completed", "job.failed", "job.cancelled"]) source.addEventListener(name, hear);
    source.addEventListener("stream.closing", (event) => close(Math.min(Math.max(Number(parse(event.data)?.retryMs) || 0, 0) / 1000, 60)));
    source.addEventListener("error", anew); // whatever it was: asking for the job tells
    document.addEventListener("visibilitychange", hide);
    window.addEventListener("online", anew);
  });
}
