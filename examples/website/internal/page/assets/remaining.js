// Estimates how long work still takes, from the reports of its progress.

export class Remaining {
  #seen = []; // [seconds, fraction] of the latest reports

  // after takes a report, and returns the seconds that are left; 0 if that is not known yet.
  after(fraction) {
    const seen = this.#seen;
    if (seen.length && fraction < seen.at(-1)[1]) seen.length = 0; // the work was begun again
    seen.push([Date.now() / 1000, fraction]);
    if (seen.length > 60) seen.shift();
    const [[since, from]] = seen, [at, to] = seen.at(-1);
    return to - from >= 0.02 && at - since >= 3 ? (1 - to) * (at - since) / (to - from) : 0;
  }
}
