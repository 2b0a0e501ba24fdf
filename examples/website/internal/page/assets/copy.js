// Copies text. The clipboard is there on secure pages and on this machine alone; on a
// plain http address of a network a selection is copied, as people do by hand.

// copy takes a text, or the promise of one: browsers want the clipboard to be asked for
// while the click still counts. It throws where the browser refuses.
export async function copy(text) {
  if (navigator.clipboard?.write && globalThis.ClipboardItem) {
    const blob = Promise.resolve(text).then((text) => new Blob([text], { type: "text/plain" }));
    try {
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
      return;
    } catch { /* the browser does not allow it, or there is no text, which is seen below */ }
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
