// Keeps what a user has typed into a page while the user signs in again. The tab keeps it, for the
// same user and the same page, and only until the next page. Passwords and files are not kept, and
// signing out removes everything. edit-save.js keeps the lines of a text by itself.

const place = "typed";
const most = 200_000; // characters of a page
const { account } = document.body.dataset;
const page = location.pathname + location.search;

// fields returns the fields of the page in which the user types or chooses, by their names.
function fields() {
  const all = new Map();
  for (const field of document.querySelectorAll("main :is(input, textarea, select)")) {
    if (!field.name || ["hidden", "password", "file", "submit"].includes(field.type)) continue;
    const name = [field.form?.getAttribute("action"), field.name, /^(radio|checkbox)$/.test(field.type) ? field.value : ""].join(" ");
    all.set(name, [...all.get(name) ?? [], field]); // fields of one name are told apart by their order
  }
  return all;
}

// read returns what is typed, and undefined if that is what the page itself has.
function read(field) {
  if (field.type === "radio" || field.type === "checkbox") return field.checked === field.defaultChecked ? undefined : field.checked;
  if (field.options) return field.selectedOptions[0] === ([...field.options].find((one) => one.defaultSelected) ?? field.options[0]) ? undefined : field.value;
  return field.value === field.defaultValue ? undefined : field.value;
}

function write(field, typed) {
  if (typeof typed === "boolean") field.checked = typed;
  else field.value = typed;
  for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
}

function keep() {
  const typed = [];
  let left = most;
  for (const [name, alike] of fields()) {
    for (const [n, field] of alike.entries()) {
      const value = read(field);
      if (value === undefined || (left -= String(value).length + name.length) < 0) continue;
      typed.push([name, n, value]);
    }
  }
  try {
    if (typed.length && !leaves) sessionStorage.setItem(place, JSON.stringify({ account, page, typed }));
    else sessionStorage.removeItem(place);
  } catch { /* no storage: what is typed is on this page only */ }
}

// bring brings back what was typed, if the sign-in page has led here.
function bring() {
  let kept;
  try {
    kept = JSON.parse(sessionStorage.getItem(place));
    sessionStorage.removeItem(place);
  } catch { /* no storage */ }
  if (kept?.account !== account || kept.page !== page || !cameFromSignIn()) return;
  const all = fields();
  for (const [name, n, value] of kept.typed) {
    const field = all.get(name)?.[n];
    if (field) write(field, value);
  }
}

function cameFromSignIn() {
  try {
    return new URL(document.referrer).pathname === "/sign-in";
  } catch {
    return false; // no page has led here
  }
}

let leaves = false; // whether the user signs out
addEventListener("submit", ({ target }) => { leaves = new URL(target.action).pathname === "/sign-out"; });
addEventListener("pagehide", keep);
bring();
