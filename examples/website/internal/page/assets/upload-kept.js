// Keeps the names and jobs of accepted files in the tab, so that a reload shows their rows again.
// Signing out removes them.

import { parse } from "./base.js";

const place = "files";
const most = 100; // files; a list of more files is not useful

// kept returns the files that an account has sent from this tab. The files of another account
// are removed.
export function kept(account) {
  try {
    const found = parse(sessionStorage.getItem(place));
    if (found?.account === account) return found.files;
  } catch { /* no storage */ }
  clear();
  return [];
}

// keep remembers the latest files of an account.
export function keep(account, files) {
  if (!files.length) return clear();
  try {
    sessionStorage.setItem(place, JSON.stringify({ account, files: files.slice(-most) }));
  } catch { /* no storage: a reload loses the rows */ }
}

function clear() {
  try {
    sessionStorage.removeItem(place);
  } catch { /* no storage */ }
}

addEventListener("submit", ({ target }) => { if (new URL(target.action).pathname === "/sign-out") clear(); });
