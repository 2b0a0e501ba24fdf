// Lets the reader write the title where it stands. Enter saves it, and Escape takes it back.

import { load, notice, parse } from "./base.js";
import { path, tell } from "./edit.js";
import { t } from "./strings.js";

const title = document.getElementById("title");

let saved = title.textContent;
for (const [name, value] of [["contenteditable", "plaintext-only"], ["role", "textbox"], ["aria-label", t("desk.title")]]) title.setAttribute(name, value);

title.addEventListener("keydown", (event) => {
  if (event.isComposing || event.key !== "Enter" && event.key !== "Escape") return;
  event.preventDefault();
  if (event.key === "Escape") title.textContent = saved;
  title.blur();
});

title.addEventListener("blur", async () => {
  const wanted = title.textContent.replace(/\s+/g, " ").trim();
  title.textContent = wanted || saved;
  if (!wanted || wanted === saved) return;
  tell("saving");
  try {
    const answer = parse((await load(path, { method: "PATCH", body: JSON.stringify({ title: wanted }), headers: { "Content-Type": "application/json" } })).text);
    saved = title.textContent = answer?.transcript.title ?? wanted;
    document.title = document.title.replace(/^[^]* · /, `${saved} · `);
    tell("saved");
  } catch (refusal) {
    if (refusal.status === undefined) throw refusal;
    tell("refused", refusal.message);
    if (refusal.status !== 401) notice(refusal.message);
  }
});
