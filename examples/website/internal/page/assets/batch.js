// Follows a batch until it ends. The service holds each answer until the batch ends, at most
// for two seconds. After a change, the module loads the page again and merges it into this one.
// A hidden page sends no requests.

import { ask } from "./base.js";
import { backoff, pause, sleep } from "./pause.js";
import { renew } from "./renew.js";
import { t } from "./strings.js";

const held = 2; // seconds for which the service holds an answer

const page = document.getElementById("batch");
const ended = (status) => ["completed", "failed", "cancelled"].includes(status);

async function follow() {
  for (let failures = 0; !ended(page.dataset.status);) {
    if (document.hidden) await looked();
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
        lost(refusal.status === 401 || refusal.status === 403 ? t("batch.signedOut") : refusal.message);
        return;
      }
      const seconds = Math.max(backoff(++failures), Math.min(refusal.retryAfter || 0, 300));
      lost(t("batch.lost", { pause: pause(seconds) }));
      await sleep(seconds);
    }
  }
}

// looked waits until the page is visible.
function looked() {
  return new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}

function lost(text) {
  const line = document.getElementById("lost");
  if (line.textContent !== text) line.textContent = text;
}

document.addEventListener("deleted", () => location.assign("/batches"));

follow();
