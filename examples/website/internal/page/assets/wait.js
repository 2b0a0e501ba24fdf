// Counts down until the next try, and disables the buttons until then. A changed form is a new
// request and need not wait.

import { pause } from "./pause.js";
import { t } from "./strings.js";

const told = document.querySelector("[data-wait]");

if (told) {
  const end = Date.now() + Number(told.dataset.wait) * 1000;
  const held = document.querySelectorAll("[data-held]");
  const release = () => {
    clearInterval(timer);
    held.forEach((button) => { button.disabled = false; });
  };
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1000);
    told.textContent = left > 0 ? t("problem.again", { pause: pause(left) }) : "";
    if (left <= 0) release();
  };
  const timer = setInterval(tick, 1000);
  held.forEach((button) => {
    button.disabled = true;
    button.form.addEventListener("input", release, { once: true });
  });
  tick();
}
