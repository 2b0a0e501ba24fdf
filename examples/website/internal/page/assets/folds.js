// Opens the folds for which a wide screen has room, also for screen readers, before the page is
// drawn. On a narrow screen the text comes first.

const wide = matchMedia("(min-width: 62rem) and (min-height: 40rem)");

function unfold() {
  for (const fold of document.querySelectorAll("details.roomy")) fold.open = wide.matches;
}

wide.addEventListener("change", unfold);
if (wide.matches) unfold();
