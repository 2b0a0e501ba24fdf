// Shows times in the reader's time zone. The server does not know it and shows UTC.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const language = document.documentElement.lang;
const forms = {
  moment: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }),
  second: new Intl.DateTimeFormat(language, { timeStyle: "medium" }),
};

// local converts all times within an element.
export function local(within) {
  for (const time of within.querySelectorAll("time[data-shows]")) {
    time.textContent = forms[time.dataset.shows].format(new Date(time.dateTime));
    time.title = zone;
  }
}

local(document);
