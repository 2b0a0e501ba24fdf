// Keeps changes that the service has not saved yet in the browser, so that they survive a lost
// connection and a reload. Signing out removes all of them.

import { parse } from "./base.js";

const prefix = "draft ";

function read(path) {
  try {
    return parse(localStorage.getItem(prefix + path));
  } catch {
    return null; // no storage
  }
}

// kept returns the kept changes of a text by the numbers of their lines. The changes of another
// account are removed.
export function kept(path, account) {
  const found = read(path);
  if (found && found.account !== account) clear();
  return found?.account === account ? found.lines : {};
}

// keep keeps the changes of lines by their numbers, and removes those that are undefined. Tabs
// share the changes of a text, so each tab writes only its own lines.
export function keep(path, account, changes) {
  const lines = kept(path, account);
  for (const [line, change] of changes) {
    if (change) lines[line] = change;
    else delete lines[line];
  }
  try {
    if (Object.keys(lines).length) localStorage.setItem(prefix + path, JSON.stringify({ account, lines }));
    else localStorage.removeItem(prefix + path);
  } catch { /* no storage: the page alone has the changes */ }
}

function clear() {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
  } catch { /* no storage */ }
}

addEventListener("submit", ({ target }) => { if (new URL(target.action).pathname === "/sign-out") clear(); });
