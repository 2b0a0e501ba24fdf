// Shows how the text looks in the chosen format, copies it, and offers the available languages: it
// asks the platform for them on demand.

import { Refusal, ask, load, notice } from "./base.js";
import { copy } from "./copy.js";
import { t } from "./strings.js";

const sheet = document.getElementById("export");
const form = sheet.querySelector("form");
const preview = document.getElementById("export-preview");

const read = () => load(`${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`).then(({ text }) => text);

const most = 600; // characters of the preview

async function show() {
  try {
    const text = await read();
    preview.textContent = text.length > most ? text.slice(0, most) + "…" : text;
  } catch (refusal) {
    preview.textContent = refusal.message;
  }
}

form.addEventListener("change", show);
sheet.addEventListener("toggle", ({ newState }) => { if (newState === "open") show(); });
form.addEventListener("submit", () => sheet.hidePopover());

document.getElementById("export-copy").addEventListener("click", async () => {
  try {
    await copy(read());
    notice(t("transcript.copy.done"));
  } catch (error) {
    if (error.status !== 401) notice(error instanceof Refusal ? error.message : t("transcript.copy.failed"));
  }
});

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });
const nameOf = (tag) => { try { return names.of(tag); } catch { return tag; } };

function choice(value, text) {
  const button = document.createElement("button");
  button.name = "language";
  button.value = value;
  button.textContent = text;
  return button;
}

function say(form, text) {
  const words = document.createElement("p");
  words.className = "hint";
  words.textContent = text;
  form.lastElementChild.replaceChildren(words);
  form.hidden = false;
}

async function offerLanguages(form) {
  const { platform, externalId, language } = document.querySelector("article.transcript").dataset;
  say(form, t("transcript.languages.ask"));
  let info;
  try {
    info = await ask(`/v1/transcript/info?${new URLSearchParams({ platform, externalId })}`);
  } catch (refusal) {
    say(form, refusal.message);
    return;
  }
  const tags = new Set([...info.languages ?? [], ...info.cachedLanguages ?? []]);
  tags.delete(language);
  const choices = [...tags].map((tag) => choice(tag, nameOf(tag))).sort((a, b) => a.textContent.localeCompare(b.textContent));
  if (info.asr?.available) choices.push(choice("asr", t("transcript.languages.asr")));
  say(form, tags.size ? t("transcript.languages.can") : t("transcript.languages.none"));
  const row = document.createElement("div");
  row.className = "row";
  row.append(...choices);
  form.lastElementChild.append(row);
}

const choices = document.getElementById("choices");
document.getElementById("languages")?.addEventListener("toggle", () => { if (choices) offerLanguages(choices); }, { once: true });
