// Follows a batch until it ends. The service holds each answer until the batch ends, at most
// for two seconds. After a change, the module loads the page again and merges it into this one.
// A hidden page sends no requests, unless the visitor wants to be told of the end.

import { ask } from "./base.js";
import { backoff, looked, pause, sleep } from "./pause.js";
import { renew } from "./renew.js";
import { t } from "./strings.js";
import { tell, wanted } from "./tell.js";

const held = 2; // seconds for which the service holds an answer
const asksHidden = 20; // seconds, for a hidden page

const page = document.getElementById("batch");
const ended = (status) => ["completed", "failed", "cancelled"].includes(status);

async function follow() {
  if (ended(page.dataset.status)) return;
  for (let failures = 0; !ended(page.dataset.status);) {
    if (document.hidden) await (wanted() ? sleep(asksHidden) : looked());
    const begun = performance.now();
    try {
      const { batch } = await ask(`/v1/batch/${page.dataset.batch}?maxResults=1&waitMs=${held * 1000}`);
      const { updated, status, why } = page.dataset;
      if (batch.updatedAt !== updated || batch.status !== status || (batch.lastError?.message ?? "") !== why) await renew(page);
      failures = 0;
      lost("");
      if (!ended(batch.status)) await sleep(held - (performance.now() - begun) / 1000); // if the answer was not held
    } catch (refusal) {
      if (refusal.status === 404) { // deleted; the reloaded page says so
        location.reload();
        return;
      }
      if ([400, 401, 402, 403].includes(refusal.status)) {
        lost(refusal.message);
        return;
      }
      const seconds = Math.max(backoff(++failures), Math.min(refusal.retryAfter || 0, 300));
      lost(t("batch.lost", { pause: pause(seconds) }));
      await sleep(seconds);
    }
  }
  if (page.dataset.status !== "cancelled") tell(document.querySelector("h1").textContent, t("tell.batch", { state: document.getElementById("state").textContent }));
}

function lost(text) {
  const line = document.getElementById("lost");
  if (line.textContent !== text) line.textContent = text;
}

document.addEventListener("deleted", () => location.assign("/batches"));

follow();
