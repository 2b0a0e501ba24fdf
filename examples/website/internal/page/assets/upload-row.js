// Shows a file in the list of the start page: its name, its state in words, and what the visitor
// can do about it.

import { pause, size } from "./pause.js";
import { t } from "./strings.js";

// Row is a file in the list.
export class Row {
  #bar = document.createElement("progress");
  #said = document.createElement("span");
  #actions = document.createElement("span");

  constructor(name) {
    this.name = name;
    this.element = document.createElement("li");
    const title = document.createElement("span");
    title.className = "name";
    title.dir = "auto";
    title.textContent = name;
    this.#bar.hidden = true;
    this.#bar.setAttribute("aria-label", name);
    this.#said.className = "said";
    this.#actions.className = "actions";
    this.element.append(title, this.#bar, this.#said, this.#actions);
  }

  say(text, bad = false) {
    this.#said.textContent = text;
    this.#said.classList.toggle("bad", bad);
  }

  wait(cancel) {
    this.element.removeAttribute("data-unsent");
    this.say(t("upload.waiting"));
    this.#offers(this.#button(t("upload.cancel"), cancel, t("upload.cancelFile", { name: this.name })));
  }

  // left says how much of the file was sent before a reload.
  left(text, cancel) {
    this.say(text);
    this.#offers(this.#button(t("upload.cancel"), cancel, t("upload.cancelFile", { name: this.name })));
  }

  progress(sent, all, speed) {
    this.#bar.hidden = false;
    this.#bar.value = sent / all;
    const values = { sent: size(sent), all: size(all) };
    this.say(speed.perSecond ? t("upload.speed", { ...values, speed: size(speed.perSecond), pause: pause((all - sent) / speed.perSecond) }) : t("upload.sending", values));
  }

  refuse(text, url, label) {
    this.#bar.hidden = true;
    this.say(text, true);
    this.#said.setAttribute("role", "alert");
    this.#offers(...(/^(https?:\/\/|\/(?!\/))/.test(url) ? [this.#link(url, label || url)] : []));
  }

  // offer asks whether to try again. After the end of a session the visitor signs in on another tab,
  // because this page alone has the file.
  offer(again, signedOut) {
    this.refuse(signedOut ? t("upload.signedOut") : t("upload.broken"));
    const button = this.#button(t("upload.again"), again);
    this.#offers(...(signedOut ? [this.#tab("/sign-in", t("sign.in")), button] : [button]));
    this.element.toggleAttribute("data-unsent", true);
  }

  // work shows the state of the file's job. fraction is the recognized part of the speech, if
  // that is known.
  work(text, fraction) {
    this.#bar.hidden = !(fraction >= 0);
    if (fraction >= 0) this.#bar.value = fraction;
    this.say(text);
  }

  // lead shows a link to the page of the file's job or text.
  lead(text, url) {
    this.#bar.hidden = true;
    this.say(text);
    this.#offers(this.#link(url, t("upload.show"), t("upload.showFile", { name: this.name })));
    return url;
  }

  #offers(...actions) { this.#actions.replaceChildren(...actions); }

  #button(text, run, label) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    if (label) button.setAttribute("aria-label", label);
    button.addEventListener("click", run);
    return button;
  }

  #tab(url, text) {
    const link = this.#link(url, text);
    link.target = "_blank";
    return link;
  }

  #link(url, text, label) {
    const link = document.createElement("a");
    link.className = "button";
    link.href = url;
    link.textContent = text;
    if (label) link.setAttribute("aria-label", label);
    return link;
  }
}
