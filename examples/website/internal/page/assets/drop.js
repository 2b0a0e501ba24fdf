// Takes files that are dropped on any page to the start page, which sends them. The start page
// has start.js for that.

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
    const files = [...event.dataTransfer.files]; // the browser empties its list
    await (await import("./dropped.js")).keep(files);
    location.assign("/#dropped");
  } catch {
    cover(notKept);
    addEventListener("pointerdown", uncover, { once: true });
  }
});

addEventListener("submit", ({ target }) => { if (new URL(target.action).pathname === "/sign-out") globalThis.indexedDB?.deleteDatabase("dropped"); });
