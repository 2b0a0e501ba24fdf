// Copies a key that was just made, and lets no reload and no way back show it again: the
// page's address becomes that of the list, and the key goes from the page with who leaves.

import { notice } from "./base.js";
import { copy } from "./copy.js";
import { t } from "./strings.js";

const secret = document.getElementById("secret");

history.replaceState(null, "", "/keys");
addEventListener("pagehide", () => document.querySelector(".made")?.remove());

document.getElementById("copy").addEventListener("click", async () => {
  try {
    await copy(secret.textContent);
    notice(t("keys.copied"));
  } catch { // the reader's own keys still can
    getSelection().selectAllChildren(secret);
    notice(t("keys.copyYourself"));
  }
});
