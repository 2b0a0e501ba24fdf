// Copies a secret that was just made, and prevents a reload or Back from showing it again: the
// page's address becomes that of the page without the secret, and the secret is removed when the
// visitor leaves.

import { notice } from "./base.js";
import { copy } from "./copy.js";
import { t } from "./strings.js";

const secret = document.getElementById("secret");

history.replaceState(null, "", location.pathname);
addEventListener("pagehide", () => document.querySelector(".made")?.remove());

document.getElementById("copy").addEventListener("click", async () => {
  try {
    await copy(secret.textContent);
    notice(t("secret.copied"));
  } catch { // the visitor can still copy with the keyboard
    getSelection().selectAllChildren(secret);
    notice(t("secret.copyYourself"));
  }
});
