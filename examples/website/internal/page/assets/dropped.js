// Hands dropped files over to the start page, through the storage of the browser. drop.js
// removes them when the visitor signs out.

const place = "dropped";
const lasts = 60_000; // milliseconds, for the start page to take them
const account = document.body.dataset.account ?? "";

// keep stores files for the start page.
export const keep = (files) => change((rows) => rows.put({ account, files, at: Date.now() }, 0));

// take returns the stored files, once.
export async function take() {
  const found = await change((rows) => {
    const request = rows.get(0);
    rows.clear();
    return request;
  });
  return found?.account === account && Date.now() - found.at < lasts ? found.files : [];
}

// change runs a function in a transaction, and returns the result of the request that it returns.
function change(run) {
  return new Promise((resolve, reject) => {
    const open = indexedDB.open(place, 1);
    open.onupgradeneeded = () => open.result.createObjectStore("files");
    open.onerror = () => reject(open.error);
    open.onsuccess = () => {
      const base = open.result;
      const transaction = base.transaction("files", "readwrite");
      const request = run(transaction.objectStore("files"));
      transaction.oncomplete = () => { base.close(); resolve(request.result); };
      transaction.onabort = () => { base.close(); reject(transaction.error); };
    };
  });
}
