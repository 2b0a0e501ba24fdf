// Shows the text of a recording while it grows. The service recognizes only while somebody asks: a
// hidden page does not.

import { parse, shownTo } from "./base.js";
import { backoff, clock, looked, sleep } from "./pause.js";

const waits = 10; // seconds that the service waits for more words
const every = 1; // seconds between two questions, at least
const over = [400, 403, 404, 405, 410, 501]; // the upload has ended, or the service tells no words

// Live fills a list with the settled lines, and an element with the words after them. The section
// around them is shown with the first word.
export class Live {
  #section; #list; #tail; #watched;

  constructor(section, list, tail) {
    this.#section = section;
    this.#list = list;
    this.#tail = tail;
  }

  // watch shows the text of an upload until it ends, or another one is watched; empty: none.
  async watch(upload) {
    if (upload) this.#list.replaceChildren();
    const watched = this.#watched = {};
    for (let heard = 0, failures = 0; upload;) {
      await looked();
      const due = performance.now() + every * 1000, { status, body, retryAfter } = await this.#ask(upload, heard);
      if (this.#watched !== watched || over.includes(status)) return;
      failures = body ? 0 : failures + 1;
      if (body) {
        heard = body.heardSec;
        this.#show(body);
      }
      await sleep(Math.max((due - performance.now()) / 1000, failures && backoff(failures), retryAfter));
    }
  }

  async #ask(upload, heard) {
    const query = new URLSearchParams({ from: this.#list.children.length, heardMs: Math.ceil(heard * 1000), waitMs: waits * 1000 });
    try {
      const answer = await fetch(`/web/v1/transcript/uploads/${upload}/text?${query}`, { headers: shownTo, redirect: "manual", signal: AbortSignal.timeout(4 * waits * 1000) });
      return { status: answer.status, body: answer.ok ? parse(await answer.text()) : null, retryAfter: Math.min(Number(answer.headers.get("Retry-After")) || 0, 600) };
    } catch {
      return { status: 0, body: null, retryAfter: 0 };
    }
  }

  // #show takes in the lines from a number on. Lines that stay as they are remain in place, so that a
  // screen reader does not say them again.
  #show({ from, segments, tail }) {
    const lines = this.#list.children, below = innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
    for (const [n, segment] of segments.entries()) {
      const line = lines[from + n];
      if (!line) this.#list.append(row(segment));
      else if (line.lastChild.textContent !== segment.text) line.replaceWith(row(segment));
    }
    while (lines.length > from + segments.length) this.#list.lastChild.remove();
    this.#tail.textContent = tail;
    this.#section.hidden = !lines.length && !tail;
    if (below) scrollTo({ top: document.documentElement.scrollHeight });
  }
}

function row({ start, text }) {
  const line = document.createElement("li"), time = document.createElement("span"), words = document.createElement("span");
  time.className = "time";
  time.textContent = clock(start);
  words.dir = "auto";
  words.textContent = text;
  line.append(time, " ", words);
  return line;
}
