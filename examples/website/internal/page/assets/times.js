// Shows moments in the reader's own time. The server, which does not know it, shows UTC.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const language = document.documentElement.lang;
const forms = {
  moment: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }),
  second: new Intl.DateTimeFormat(language, { timeStyle: "medium" }),
};

// local shows all moments within an element in the reader's own time.
export function local(within) {
  for (const time of within.querySelectorAll("time[data-shows]")) {
    time.textContent = forms[time.dataset.shows].format(new Date(time.dateTime));
    time.title = zone;
  }
}

local(document);
