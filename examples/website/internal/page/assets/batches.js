// Takes a file of links that is dropped anywhere on the form, like a file that is chosen in its
// field.

import { notice } from "./base.js";
import { t } from "./strings.js";

const area = document.querySelector(".new");
const file = document.getElementById("file");

if (file) {
  const holdsFiles = (event) => event.dataTransfer.types.includes("Files");
  area.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    area.classList.add("over");
  });
  for (const end of ["dragleave", "drop"]) area.addEventListener(end, () => area.classList.remove("over"));
  area.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    area.open = true;
    area.querySelector("[name=from][value=batch]").checked = true;
    const chosen = new DataTransfer();
    chosen.items.add(event.dataTransfer.files[0]);
    file.files = chosen.files;
    notice(t("batches.dropped", { name: file.files[0].name }));
  });
}
