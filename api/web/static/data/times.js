// @ts-check
/** Times as a reader says them: "2 hours ago", with the local time beside it. */

import { localTime, utcTime } from "../base/text.js";

const STEPS = /** @type {[Intl.RelativeTimeFormatUnit, number][]} */ ([
  ["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1],
]);
const words = new Intl.RelativeTimeFormat(document.documentElement.lang || "en", { numeric: "auto" });

/** How long ago a time was. @param {number} at microseconds UTC @param {number} [now] milliseconds */
export function ago(at, now = Date.now()) {
  const seconds = Math.min(0, Math.round((at / 1000 - now) / 1000));
  const [unit, length] = STEPS.find(([, size]) => -seconds >= size) ?? STEPS[3];
  return words.format(Math.ceil(seconds / length), unit);
}

/** Show all times below a root as times ago, and again each half minute. @param {ParentNode} root */
export function showTimes(root) {
  for (const found of root.querySelectorAll("time[data-at]")) {
    const element = /** @type {HTMLElement} */ (found), at = Number(element.dataset.at);
    element.textContent = ago(at);
    element.title = `${localTime(at)} (${utcTime(at)})`;
  }
}

/** Keep the times of the page true. */
export function keepTimes() {
  showTimes(document);
  setInterval(() => showTimes(document), 30_000);
}
