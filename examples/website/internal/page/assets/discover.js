// Counts the selected videos, and shows a message while the site is slow.

import { t } from "./strings.js";

for (const form of document.querySelectorAll("search form")) {
  form.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) if (!value) formData.delete(name);
  });
}

const slow = document.getElementById("slow");
const wait = () => { slow.textContent = t("discover.slow"); };
document.addEventListener("submit", (event) => { if (event.target.closest("search")) wait(); });
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/discover']");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) wait();
});
addEventListener("pageshow", () => { slow.textContent = ""; });

const form = document.getElementById("take");
if (form) {
  const all = document.getElementById("all");
  const ticked = document.getElementById("ticked");
  const boxes = [...form.querySelectorAll("[name=video]:not(:disabled)")];

  const count = () => {
    const n = boxes.filter((box) => box.checked).length;
    ticked.disabled = n === 0;
    ticked.textContent = n ? t("discover.take", { count: n }) : t("discover.takeTicked");
    all.checked = n > 0 && n === boxes.length;
    all.indeterminate = n > 0 && n < boxes.length;
  };
  form.addEventListener("change", (event) => {
    if (event.target === all) for (const box of boxes) box.checked = all.checked;
    count();
  });
  addEventListener("pageshow", count); // a browser may restore earlier selections
  count();
}
