// Adds the recording to the text of a file, of which the service keeps none. The service compares
// the content of the file, and transcribes nothing.

import { notice } from "./base.js";
import { t } from "./strings.js";

const section = document.getElementById("add-recording");
const input = document.getElementById("add-file");
const { externalId, account } = document.querySelector("article.transcript").dataset;
let busy = false;

addEventListener("beforeunload", (event) => { if (busy) event.preventDefault(); });

input.addEventListener("change", async () => {
  const [file] = input.files;
  if (!file) return;
  try {
    const [{ Upload }, { Row }] = await Promise.all([import("./upload.js"), import("./upload-row.js")]);
    const row = new Row(file.name);
    document.getElementById("adding").replaceChildren(row.element);
    await send(new Upload(file, "", account, row, [["keepMediaSec", section.dataset.keep], ["recordingOf", externalId]]));
  } catch {
    notice(t("problem.lost"));
  }
  input.value = "";
});

async function send(upload) {
  upload.row.wait(() => upload.cancel());
  busy = input.disabled = true;
  const added = await upload.run();
  busy = input.disabled = false;
  if (added) location.reload();
  else if (upload.broken) upload.row.offer(() => send(upload), upload.signedOut);
}
