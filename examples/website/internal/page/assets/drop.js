// Takes files that are dropped on any page to the start page, which sends them. The start page
// itself has start.js.

import { keep } from "./dropped.js";

const { drop, keeping, notKept } = document.body.dataset;
let shade = null;

function cover(words) {
  shade ??= document.body.appendChild(document.createElement("div"));
  shade.className = "drop";
  shade.setAttribute("role", "status");
  shade.textContent = words;
}

function uncover() {
  shade?.remove();
  shade = null;
}

const takes = ({ dataTransfer, target }) => dataTransfer?.types.includes("Files") && !target.closest?.("input[type=file]");

if (!document.getElementById("paste")) {
  addEventListener("dragover", (event) => {
    if (!takes(event)) return;
    event.preventDefault();
    cover(drop);
  });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) uncover(); });
  addEventListener("drop", async (event) => {
    if (!takes(event)) return;
    event.preventDefault();
    cover(keeping);
    try {
      await keep([...event.dataTransfer.files]);
      location.assign("/#dropped");
    } catch {
      cover(notKept);
      addEventListener("pointerdown", uncover, { once: true });
    }
  });
}
