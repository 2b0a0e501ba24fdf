// Copies the address of the bookmark. A click on the bookmark itself explains what to do: it works
// among the bookmarks, not on this page.

import { notice } from "./base.js";
import { copy } from "./copy.js";
import { t } from "./strings.js";

document.getElementById("copyCode").addEventListener("click", async () => {
  const code = document.getElementById("code");
  try {
    await copy(code.value);
    notice(t("anywhere.copied"));
  } catch {
    code.select();
    notice(t("transcript.copy.failed"));
  }
});

document.getElementById("bookmarklet").addEventListener("click", (event) => {
  event.preventDefault();
  notice(t("anywhere.dragFirst"));
});
