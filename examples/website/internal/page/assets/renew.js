// Merges changes on the server into the present page: unchanged elements stay, and with them
// the focus, the selection, unfolded parts and the scroll position.

import { Refusal, patience, shownTo, signedOut } from "./base.js";
import { local } from "./times.js";

// renew loads this page again and updates an element with an id to its new state. It throws a
// Refusal if the page no longer exists.
export async function renew(element) {
  const fresh = (await page()).getElementById(element.id);
  if (!fresh) throw new Refusal(502);
  become(element, fresh);
}

// page loads the server's present version of this page. It is parsed without running its
// scripts. It throws a Refusal if there is no such page, with the status 401 if the answer is
// the sign-in page.
export function page() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", location.href);
    request.responseType = "document";
    request.timeout = patience;
    for (const [name, value] of Object.entries(shownTo)) request.setRequestHeader(name, value);
    request.onload = () => {
      if (request.status === 401 || request.responseURL && new URL(request.responseURL).pathname !== location.pathname) {
        signedOut();
        return reject(new Refusal(401));
      }
      if (request.status !== 200 || !request.response) return reject(new Refusal(request.status));
      local(request.response);
      resolve(request.response);
    };
    request.onerror = request.ontimeout = () => reject(new Refusal(0));
    request.send();
  });
}

const readers = new Set(["open", "hidden"]); // attributes that the reader controls

// become makes an element equal to another. It keeps children with the same id, and other
// children of the same kind in their order.
function become(now, fresh) {
  for (const { name } of [...now.attributes]) {
    if (!fresh.hasAttribute(name) && !readers.has(name)) now.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (now.getAttribute(name) !== value && !readers.has(name)) now.setAttribute(name, value);
  }
  let at = now.firstChild;
  for (const child of fresh.childNodes) {
    const same = counterpart(at, child);
    if (!same) {
      now.insertBefore(document.importNode(child, true), at);
      continue;
    }
    for (; at !== same; at = next(at, true));
    if (same.nodeType !== Node.ELEMENT_NODE) same.data = child.data;
    else if (!same.isEqualNode(child)) become(same, child);
    at = next(at, false);
  }
  while (at) at = next(at, true);
}

// counterpart returns the child of now, from a place on, that corresponds to a fresh child;
// null if the fresh child is new.
function counterpart(at, child) {
  if (child.id) {
    for (let node = at; node; node = node.nextSibling) if (node.id === child.id && node.nodeName === child.nodeName) return node;
    return null;
  }
  return at && !at.id && at.nodeName === child.nodeName ? at : null;
}

function next(node, gone) {
  const after = node.nextSibling;
  if (gone) node.remove();
  return after;
}
