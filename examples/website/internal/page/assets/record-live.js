// Shows the text of a recording while it grows. The service recognizes only while somebody watches:
// a hidden page does not.

import { parse } from "./base.js";
import { backoff, clock, looked, sleep } from "./pause.js";

// Live fills a list with the lines that are settled, and an element with the words after them.
export class Live {
  #section; #list; #tail; #source = null; #upload = "";

  constructor(section, list, tail) {
    this.#section = section;
    this.#list = list;
    this.#tail = tail;
  }

  // watch shows the text of an upload until it ends, or another one is watched; empty: none.
  async watch(upload) {
    this.#source?.close();
    if (upload && upload !== this.#upload) this.#list.replaceChildren();
    this.#upload = upload;
    for (let failures = 0; this.#upload === upload && upload;) {
      await looked();
      const { heard, ended, rest } = await this.#listen(upload);
      if (ended) return;
      failures = heard ? 1 : failures + 1;
      await sleep(Math.max(backoff(failures), rest));
    }
  }

  // #listen holds a stream until it ends or the page is hidden.
  #listen(upload) {
    return new Promise((resolve) => {
      const source = this.#source = new EventSource(`/web/v1/transcript/uploads/${encodeURIComponent(upload)}/events`);
      let heard = false;
      const close = (ended, rest = 0) => {
        source.close();
        document.removeEventListener("visibilitychange", hide);
        resolve({ heard, ended, rest });
      };
      const hide = () => { if (document.hidden) close(false); };
      source.addEventListener("upload.segments", ({ data }) => {
        const part = parse(data);
        if (part?.uploadId !== upload || this.#upload !== upload) return;
        heard = true;
        this.#show(part);
      });
      source.addEventListener("upload.ended", () => close(true));
      source.addEventListener("stream.closing", ({ data }) => close(false, Math.min(Number(parse(data)?.retryMs) || 0, 60_000) / 1000));
      source.addEventListener("error", () => close(false));
      document.addEventListener("visibilitychange", hide);
    });
  }

  // #show takes in lines from a number on. A new stream begins with all of them: the lines that are
  // there already stay, so that a screen reader does not say them again.
  #show({ from, segments, tail }) {
    const below = innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
    for (const [n, segment] of segments.entries()) {
      const line = this.#list.children[from + n];
      if (line?.lastChild.textContent === segment.text) continue;
      if (line) line.replaceWith(row(segment));
      else this.#list.append(row(segment));
    }
    this.#tail.textContent = tail || "";
    this.#section.hidden = !this.#list.children.length && !tail;
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
