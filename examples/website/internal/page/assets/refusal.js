// Puts the API's refusals into words. base.js loads this module with the first refusal.

import { pause, size } from "./pause.js";
import { refusals, text } from "./strings.js";

// explain returns what an API error says to people, and what they can do about it. Both are
// empty for an unknown code.
export async function explain(error) {
  await refusals();
  return { says: sentence(error), cure: text("cure." + error.code) };
}

// sentence returns the text of a code: the one with the values of details if there is one. The
// API names a faulty value by its place in the request and by a reason, and the page by its own words.
function sentence({ code, details }) {
  const { path, reason } = details?.issues?.[0] ?? {};
  const field = path?.split(".")[0];
  const faults = field ? [text(`field.${field}.${reason}`), text(`fault.${reason}`), text(`field.${field}`)] : [];
  const values = Object.fromEntries(Object.entries(details ?? {}).map(([name, value]) => [name, shown(name, value)]));
  const all = [...faults, ...Object.keys(values).sort().map((name) => text(`says.${code}.${name}`, values)), text(`says.${code}`)];
  return all.find((one) => one && !one.includes("{")) ?? "";
}

// shown formats a value of details, the name of which ends with its unit.
function shown(name, value) {
  if (typeof value !== "number") return value;
  if (name.endsWith("Bytes")) return size(value);
  return name.endsWith("Sec") ? pause(value) : value;
}
