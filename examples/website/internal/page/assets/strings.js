// The texts of the page's modules. The page holds them in its own language: the texts whose
// keys its modules name. Texts about refusals are in a file, because few visitors see them.

const language = document.documentElement.lang;
const texts = JSON.parse(document.getElementById("strings").textContent);
const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

// t returns the text of a key with its values: t("library.words", { count: 3 }). The value of count
// chooses the form. Numbers are formatted.
export function t(key, values) {
  const found = text(key, values);
  if (!found) console.error(`The page has no text ${key}.`);
  return found || key;
}

// text returns the text of a key; empty if there is none.
export function text(key, values = {}) {
  const found = texts[key];
  if (!found) return "";
  const form = typeof found === "string" ? found : found[plurals.select(values.count)] ?? found.other;
  return form.replace(/\{(\w+)\}/g, (all, name) => name in values ? shown(values[name]) : all);
}

// refusals loads the texts about what the API refuses, the keys of which begin with "says.",
// "cure.", "field." or "fault.". Without a connection they are missing.
export function refusals() {
  loading ??= fetch(new URL(`./refusals-${language}.json`, import.meta.url))
    .then((answer) => answer.json())
    .then((all) => { Object.assign(texts, all); })
    .catch(() => { loading = null; });
  return loading;
}

let loading = null;

const shown = (value) => typeof value === "number" ? numbers.format(value) : value;
