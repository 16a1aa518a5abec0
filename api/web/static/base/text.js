// @ts-check
/** The texts of scripts, with plural forms, and times. */

const texts = JSON.parse(document.getElementById("texts")?.textContent ?? "{}");
const language = document.documentElement.lang || "en";
const plural = new Intl.PluralRules(language);
/** @type {Intl.DateTimeFormat | undefined} made when the first time is shown, for it takes long */
let clock;

/**
 * A text with its values. One with plural forms takes the form that fits `values.count`.
 * @param {string} key
 * @param {Record<string, any>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  const found = texts[key];
  if (found === undefined) throw new Error(`there is no text ${key}`);
  const form = typeof found === "string" ? found : (found[plural.select(values.count)] ?? found.other);
  return form.replace(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ name) => String(values[name]));
}

/** A time of the log, in the reader's own zone. @param {number} microseconds UTC */
export function localTime(microseconds) {
  clock ??= new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
  return clock.format(new Date(microseconds / 1000));
}

/** The same in UTC. @param {number} microseconds UTC */
export function utcTime(microseconds) {
  return `${new Date(microseconds / 1000).toISOString().replace("T", " ").slice(0, 19)} UTC`;
}
