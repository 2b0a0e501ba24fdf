// Follows a job until it ends, and then shows its page anew.

import { t } from "./strings.js";

const job = document.getElementById("job");
const stage = document.getElementById("stage");
const bar = document.getElementById("progress");

function tell(event) {
  const now = JSON.parse(event.data);
  stage.textContent = t("stage." + now.stage);
  if (now.progress) bar.value = now.progress.fraction;
}

const events = new EventSource(`/web/v1/transcript/job/${job.dataset.job}/events`);
events.addEventListener("job.snapshot", tell);
events.addEventListener("job.progress", tell);
for (const end of ["job.completed", "job.failed", "job.cancelled"]) {
  events.addEventListener(end, () => { events.close(); location.reload(); });
}
