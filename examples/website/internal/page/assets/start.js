// The start page: files can be dropped anywhere on the page, and links into its field. The
// modules that send files are loaded with the first file, because most visitors paste links.

import "./wait.js";
import { notice } from "./base.js";
import { t } from "./strings.js";

const links = document.getElementById("links");
const section = document.getElementById("uploads");
const known = Boolean(document.querySelector("a[href='/library']"));
let uploads = null; // the promise of the list of files; null: no file yet

// asked returns the list of languages in the form.
function asked() {
  const { tag, recognize, language } = document.getElementById("paste").elements;
  return language.value.trim() || (recognize.checked && tag.value ? "asr-" + tag.value : tag.value);
}

// upload sends files.
async function upload(files) {
  const chosen = [...files]; // the browser empties the list that it hands out
  uploads ??= import("./upload.js").then(({ Uploads }) => new Uploads(section, document.getElementById("queue"), asked));
  try {
    (await uploads).add(chosen);
  } catch {
    uploads = null;
    notice(t("problem.lost"));
  }
}

// resume shows the files from before a reload. Without such files it loads nothing.
async function resume() {
  if (!stored()) return;
  const [{ kept }, { unfinished }] = await Promise.all([import("./upload-kept.js"), import("./upload-begun.js")]);
  const { account } = section.dataset;
  if (kept(account).length || unfinished(account).length) upload([]);
}

function stored() {
  try {
    return sessionStorage.getItem("files") || localStorage.getItem("uploads");
  } catch { // no storage
    return "";
  }
}

if (section) resume();

if (section) {
  const files = document.getElementById("files");
  files.addEventListener("change", () => {
    upload(files.files);
    files.value = "";
  });
}

if (section && location.hash === "#dropped") { // on another page
  history.replaceState(null, "", location.pathname);
  import("./dropped.js").then(({ take }) => take()).then((files) => { if (files.length) upload(files); }, () => notice(t("problem.lost")));
}

// A shade shows that files can be dropped. Without it the browser would open a dropped file.

let shade = null;
const carries = (event, type) => [...(event.dataTransfer?.types || [])].includes(type);

function cover(on) {
  if (on === Boolean(shade)) return;
  shade?.remove();
  shade = null;
  if (!on) return;
  shade = document.createElement("div");
  shade.className = "drop";
  shade.textContent = t("upload.drop");
  document.body.append(shade);
}

addEventListener("dragover", (event) => {
  if (!carries(event, "Files")) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = section ? "copy" : "none";
  cover(Boolean(section));
});
addEventListener("dragleave", (event) => { if (!event.relatedTarget) cover(false); });
addEventListener("drop", (event) => {
  cover(false);
  if (carries(event, "Files")) {
    event.preventDefault();
    if (section) upload(event.dataTransfer.files);
    else refuse();
  } else if (event.target !== links && carries(event, "text/uri-list")) {
    event.preventDefault();
    const dropped = event.dataTransfer.getData("text/uri-list").split(/\r?\n/).filter((line) => line && !line.startsWith("#"));
    links.value = [links.value.trim(), ...dropped].filter(Boolean).join("\n");
    links.focus();
  }
});

function refuse() {
  if (known) notice(t("upload.notAllowed"));
  else notice(t("upload.needsAccount"), { action: t("sign.in"), run: () => location.assign("/sign-in") });
}

// Enter sends a single link. Shift+Enter begins another line.
links.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || links.value.includes("\n")) return;
  event.preventDefault();
  links.form.requestSubmit();
});
