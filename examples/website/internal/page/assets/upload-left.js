// Shows the files that were being sent from this tab before a reload of the page. A page cannot
// open a file again by itself: the row says how much the service has, and how to go on.

import { size } from "./pause.js";
import { t } from "./strings.js";
import { forget, isOf, unfinished } from "./upload-begun.js";
import { Row } from "./upload-row.js";
import { uploads } from "./upload-send.js";

// Left is the list of these files.
export class Left {
  #files = [];

  constructor(list, account) {
    for (const begun of unfinished(account)) this.#show(list, begun);
  }

  // chosen removes the row of a file that the visitor has chosen again.
  chosen(file) {
    for (const left of this.#files.filter(({ begun }) => isOf(begun, file))) this.#remove(left);
  }

  async #show(list, begun) {
    const left = { begun, row: new Row(begun.name) };
    this.#files.push(left);
    const answer = await fetch(uploads + begun.id, { method: "HEAD" }).catch(() => null);
    const sent = answer?.status === 204 ? Number(answer.headers.get("Upload-Offset")) : NaN;
    if (answer?.status === 404 || answer?.status === 410) forget(begun.id);
    if (!(sent >= 0) || !this.#files.includes(left)) return this.#remove(left);
    left.row.left(t("upload.left", { sent: size(sent), all: size(begun.size) }), () => {
      fetch(uploads + begun.id, { method: "DELETE", keepalive: true }).catch(() => {}); // the service's sweep does it later
      forget(begun.id);
      this.#remove(left);
    });
    list.append(left.row.element);
  }

  #remove(left) {
    this.#files = this.#files.filter((other) => other !== left);
    left.row.element.remove();
  }
}
