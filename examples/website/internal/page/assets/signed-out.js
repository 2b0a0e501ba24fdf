// Tells that the session has ended. The notice stays, and its button leads to the sign-in page and
// from there back to this page. typed.js keeps what is typed meanwhile.

import { notice } from "./base.js";
import { t } from "./strings.js";

const longest = 2 ** 31 - 1; // milliseconds
let told;

// tell shows the notice, once.
export function tell() {
  if (told?.box.isConnected) return;
  told = notice(t("problem.signedOut"), { ms: longest, action: t("sign.in"), run: () => location.assign(signIn()) });
}

function signIn() { return "/sign-in?" + new URLSearchParams({ next: location.pathname + location.search + location.hash }); }
