// Shows the progress of a job until it ends, and then its text or the reason of its failure.

import "./wait.js";
import { explain } from "./base.js";
import { follow } from "./follow.js";
import { backoff, clock, looked, pause, sleep } from "./pause.js";
import { Remaining } from "./remaining.js";
import { t } from "./strings.js";
import { tell, wanted } from "./tell.js";

const job = document.getElementById("job");
const part = (id) => document.getElementById(id);
const say = (element, text) => { if (element.textContent !== text) element.textContent = text; };
const site = document.title.slice(document.title.lastIndexOf(" · "));

if (job) run();

async function run() {
  try {
    const { status } = await follow(job.dataset.job, { tell: show, said, lost });
    if (wanted() && status !== "cancelled") {
      tell(document.querySelector(".about strong")?.textContent, status === "success" ? t("tell.job") : t("tell.failed"));
      await looked(); // or the title and the click on the notification were lost
    }
    await there();
    // Go to the text, or to the failure. Back leads to the page before this one. With a #place
    // in the address the browser would stay here.
    location.replace(location.pathname + location.search);
  } catch (refusal) {
    say(part("line"), refusal.message);
  }
}

function show(now) {
  if (now.stage === "done") return; // the text follows at once
  const step = [...job.querySelectorAll("[data-stage]")].find((s) => s.dataset.stage === now.stage);
  const stage = step ? step.textContent : t("job.working");
  const behind = step ? step.dataset.after.split(" ") : [];
  for (const s of job.querySelectorAll("[data-stage]")) {
    const was = s.hasAttribute("aria-current") || s.classList.contains("past");
    s.classList.toggle("past", s !== step && (behind.includes(s.dataset.stage) || was && before(s, step)));
    s === step ? s.setAttribute("aria-current", "step") : s.removeAttribute("aria-current");
  }
  say(part("stage"), stage);
  say(part("attempt"), t("job.attempt", { count: now.attempt }));
  part("attempt").hidden = !(now.attempt > 1);
  const why = now.lastError, waits = why && (now.status === "pending" || now.attempt > why.attempt);
  because(waits ? why : null);
  const percent = heard(now.progress);
  document.title = (percent === null ? stage : t("job.percent", { percent, stage })) + site;
}

let reason = ""; // the code of the reason that the page shows

// because shows why the job waits, or why its work was begun again.
async function because(why) {
  const code = why?.code ?? "";
  if (code === reason) return;
  reason = code;
  const { says, cure } = why ? await explain(why) : { says: "", cure: "" };
  if (reason === code) say(part("why"), [says, cure].join(" ").trim());
}

const before = (a, b) => Boolean(b) && Boolean(a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING);

let remaining = new Remaining();

// heard shows the recognized share of the speech, and returns it in percent.
function heard(progress) {
  const { fraction, processedSec, totalSec } = progress || {};
  const bar = part("progress");
  if (typeof fraction !== "number" || !(fraction >= 0 && fraction <= 1)) {
    bar.removeAttribute("value");
    say(part("detail"), "");
    remaining = new Remaining();
    return null;
  }
  const percent = Math.floor(100 * fraction);
  bar.value = 100 * fraction;
  const left = remaining.after(fraction);
  const times = { done: clock(Number(processedSec) || 0), all: clock(Number(totalSec) || 0) };
  say(part("detail"), left > 0 ? t("job.left", { ...times, pause: pause(left) }) : t("job.heard", times));
  return percent;
}

// said adds the recognized text that is not on the page yet. A reader who looks at the last line
// sees the new ones too.
function said({ from, segments }) {
  if (!Array.isArray(segments)) return;
  const list = part("words"), known = list.childElementCount;
  const follows = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  for (const { text } of segments.slice(Math.max(known - from, 0))) {
    const line = document.createElement("li");
    line.dir = "auto";
    line.textContent = text;
    list.append(line);
  }
  if (list.childElementCount === known) return;
  part("heard").hidden = false;
  if (follows) list.scrollTop = list.scrollHeight;
}

function lost(seconds) {
  say(part("line"), !seconds ? "" : navigator.onLine ? t("job.lost", { pause: pause(seconds) }) : t("job.offline"));
}

// there returns when the site answers. A page that is requested during a restart would be lost,
// and its job with it.
async function there() {
  for (let failures = 1; ; failures++) {
    try {
      const answer = await fetch(location.href, { method: "HEAD", redirect: "manual" });
      if (answer.status < 500) return;
    } catch { /* no answer */ }
    const seconds = backoff(failures);
    lost(seconds);
    await sleep(seconds);
  }
}

