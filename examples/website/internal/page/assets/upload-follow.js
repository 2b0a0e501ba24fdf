// Follows the jobs of accepted files to their ends, each in the row of its file.

import { sentence } from "./base.js";
import { follow } from "./follow.js";
import { pause } from "./pause.js";
import { t } from "./strings.js";

// watch shows the progress of a job in a row until the job ends.
export async function watch(row, job) {
  let standing = t("upload.accepted");
  const tell = ({ stage }) => row.say(standing = stageName(stage));
  const lost = (seconds) => row.say(seconds ? t("job.lost", { pause: pause(seconds) }) : standing);
  try {
    end(row, await follow(job, { tell, lost }));
  } catch (refusal) {
    row.say(refusal.message, true);
  }
}

function end(row, { status, error, transcript: text }) {
  if (status === "success" && text?.externalId) row.lead(t("upload.ready"), pageOf(text));
  else if (status === "success") row.say(t("upload.ready"));
  else if (status === "cancelled") row.say(t("upload.canceled"), true);
  else fail(row, error ?? {});
}

// fail shows why a file was refused or failed, and what the visitor can do.
export function fail(row, error) {
  const cure = t("cure." + error.code);
  row.refuse([sentence(error) || t("problem.fault"), cure === "cure." + error.code ? "" : cure].join(" "), error.actionUrl, error.actionLabel);
}

// pageOf returns the page of a text.
export function pageOf({ platform, externalId, lang }) {
  return `/transcripts/${encodeURIComponent(platform)}/${encodeURIComponent(externalId)}?language=${encodeURIComponent(lang)}`;
}

function stageName(stage) {
  const name = t("stage." + stage);
  return name === "stage." + stage ? t("job.working") : name;
}
