// Puts what has changed on the server into a page that is being read: elements stay where
// they are the same, and with them the focus, what is selected and unfolded, and the place
// to which the reader has scrolled.

import { Refusal, patience } from "./base.js";
import { local } from "./times.js";

// renew takes the page of this address anew, and makes an element, which has an id, what it
// is there. It throws a Refusal where there is no such page any more.
export async function renew(element) {
  const fresh = (await page()).getElementById(element.id);
  if (!fresh) throw new Refusal(502);
  become(element, fresh);
}

// page is the page of this address as the server renders it now. It is parsed as it comes,
// and its scripts are not run. A Refusal is thrown where there is none, with the status
// 401 where the answer is another page: that to sign in.
export function page() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", location.href);
    request.responseType = "document";
    request.timeout = patience;
    request.onload = () => {
      if (request.status !== 200 || !request.response) return reject(new Refusal(request.status));
      if (new URL(request.responseURL).pathname !== location.pathname) return reject(new Refusal(401));
      local(request.response);
      resolve(request.response);
    };
    request.onerror = request.ontimeout = () => reject(new Refusal(0));
    request.send();
  });
}

const readers = new Set(["open", "hidden"]); // attributes that are up to who reads

// become makes an element equal to another. Children with an id stay with it; others stay
// as long as they are of the same kind, in their order.
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

// counterpart is the child of now, at a place or after it, that a fresh child is the new
// state of; null where it is new.
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
