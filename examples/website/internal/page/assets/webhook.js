// Shows what becomes of the deliveries that are to be attempted soon. A hidden page sends no
// requests.

import { backoff, sleep } from "./pause.js";
import { renew } from "./renew.js";

const list = document.getElementById("deliveries");

for (let tries = 1; list.dataset.soon; tries++) {
  await sleep(backoff(tries));
  if (document.hidden) continue;
  try {
    await renew(list);
  } catch (refusal) {
    if (refusal.status !== 0) break; // signed out, or the webhook is deleted: the next click says so
  }
}
