// Keeps the ids of uploads that have begun, so that the same file goes on where it was after a
// reload of the page. Signing out removes them.

import { parse } from "./base.js";

const place = "uploads";
const most = 20; // uploads
const lasts = 24 * 3600_000; // milliseconds; the service keeps an upload for that long after its last request

// recall returns the id of the upload of a file with the same fields; empty if there is none.
export function recall(account, file, fields) {
  const known = all(), found = known.find((begun) => begun.account === account && begun.fields === fields && isOf(begun, file));
  if (!found) return "";
  found.tab = tab();
  keep(known);
  return found.id;
}

// unfinished returns the uploads of an account that this tab was sending.
export function unfinished(account) { return all().filter((begun) => begun.account === account && begun.tab && begun.tab === tab()); }

// remember keeps the id of an upload.
export function remember(account, { name, size, lastModified }, fields, id) {
  keep([...all(), { account, name, size, lastModified, fields, id, tab: tab(), until: Date.now() + lasts }]);
}

// forget removes the id of an upload.
export function forget(id) { keep(all().filter((begun) => begun.id !== id)); }

// isOf reports whether an upload is of a file.
export const isOf = (begun, { name, size, lastModified }) => begun.name === name && begun.size === size && begun.lastModified === lastModified;

function all() {
  try {
    return parse(localStorage.getItem(place))?.begun.filter(({ id, until }) => /^[\w-]+$/.test(id) && until > Date.now()) ?? [];
  } catch { // no storage, or not ours
    return [];
  }
}

// tab returns a name for this tab, which lasts over a reload; empty: there is no storage.
function tab() {
  try {
    const name = sessionStorage.getItem("tab") ?? String(Math.random());
    sessionStorage.setItem("tab", name);
    return name;
  } catch { return ""; }
}

function keep(begun) {
  try {
    if (begun.length) localStorage.setItem(place, JSON.stringify({ begun: begun.slice(-most) }));
    else localStorage.removeItem(place);
  } catch { /* no storage: the file begins again after a reload */ }
}

addEventListener("submit", ({ target }) => { if (new URL(target.action).pathname === "/sign-out") keep([]); });
