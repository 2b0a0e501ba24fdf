// Copies text. The clipboard is available on https pages and on this machine only. On a plain
// http page of a network, the module copies a selection, as people do by hand.

// copy takes a text, or the promise of one, because browsers permit the clipboard only while
// the click is recent. It throws if the browser refuses.
export async function copy(text) {
  if (navigator.clipboard?.write && globalThis.ClipboardItem) {
    const blob = Promise.resolve(text).then((text) => new Blob([text], { type: "text/plain" }));
    blob.catch(() => {}); // the code below throws it
    try {
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
      return;
    } catch { /* the browser refuses, or there is no text, which the code below handles */ }
  }
  const field = document.createElement("textarea");
  field.value = await text;
  field.className = "unseen";
  field.readOnly = true;
  const before = document.activeElement;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  before?.focus({ preventScroll: true });
  if (!done) throw new Error("the browser does not copy");
}
