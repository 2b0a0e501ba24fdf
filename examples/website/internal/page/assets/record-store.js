// Keeps recordings in the browser until the service has them, so that a lost connection, a reload
// and a crash lose no sound. Signing out removes all of them.

const place = "recordings";

// A recording is a row with
//   id      its name here
//   account, name, fields of the upload, as a query
//   begun   when it began, in milliseconds
//   bytes   how much was recorded
//   sent    how much of it the service has acknowledged; the rest is in pieces
//   from    how much came before the present upload: an earlier one had it and is gone
//   upload  the id of the upload, empty before it begins, and its key
//   ended   whether nothing more is to be recorded

// begin makes a recording.
export async function begin(account, name, fields) {
  const recording = { id: crypto.randomUUID(), account, name, fields, begun: Date.now(), bytes: 0, sent: 0, from: 0, upload: "", key: crypto.randomUUID(), ended: false };
  await save(recording);
  return recording;
}

// unfinished returns the recordings of an account, the latest first.
export async function unfinished(account) {
  const all = await change((rows) => rows.getAll());
  return all.filter((recording) => recording.account === account).sort((a, b) => b.begun - a.begun);
}

// save keeps the row of a recording as it is now.
export const save = (recording) => change((rows) => put(rows, recording));

// put keeps a row, but brings none back that is removed: an answer of the service may come later.
const put = (rows, recording) => recording.removed ? null : rows.put(recording);

// append adds a piece to the end of a recording. A piece that cannot be stored is not part of it.
export async function append(recording, bytes) {
  const offset = recording.bytes;
  recording.bytes += bytes.byteLength;
  try {
    await change((rows, pieces) => {
      pieces.put({ recording: recording.id, offset, bytes });
      put(rows, recording);
    });
  } catch (fault) {
    recording.bytes = offset;
    throw fault;
  }
}

// read returns the bytes of a recording from the first one that the service does not have, at most
// so many.
export async function read({ id, sent }, most) {
  const found = await change((_, pieces) => pieces.getAll(within(id, 0, sent + most - 1)));
  const parts = [];
  for (const { offset, bytes } of found) parts.push(bytes.slice(Math.max(sent - offset, 0), sent + most - offset));
  return new Blob(parts);
}

// acknowledge records that the service has a recording up to a byte, and removes its pieces.
export function acknowledge(recording, sent) {
  recording.sent = sent;
  return change((rows, pieces) => {
    put(rows, recording);
    const request = pieces.openCursor(within(recording.id, 0, sent - 1));
    request.onsuccess = () => {
      const cursor = request.result;
      if (!cursor) return;
      if (cursor.value.offset + cursor.value.bytes.byteLength <= sent) cursor.delete();
      cursor.continue();
    };
  });
}

// remove removes a recording.
export function remove(recording) {
  recording.removed = true;
  return change((rows, pieces) => {
    pieces.delete(within(recording.id, 0, Infinity));
    rows.delete(recording.id);
  });
}

const within = (id, first, last) => IDBKeyRange.bound([id, first], [id, last]);

// change runs a function on the rows and pieces in one transaction, and returns the result of the
// request that the function returns.
async function change(run) {
  const base = await (opened ??= open());
  return new Promise((resolve, reject) => {
    const transaction = base.transaction(["rows", "pieces"], "readwrite");
    const request = run(transaction.objectStore("rows"), transaction.objectStore("pieces"));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

let opened = null;

function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(place, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("rows", { keyPath: "id" });
      request.result.createObjectStore("pieces", { keyPath: ["recording", "offset"] });
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close(); // another tab signs out
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
}

addEventListener("submit", ({ target }) => { if (new URL(target.action).pathname === "/sign-out") globalThis.indexedDB?.deleteDatabase(place); });
