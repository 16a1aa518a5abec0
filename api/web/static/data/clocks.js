// @ts-check
/**
 * Clocks: what a player has left, each second anew. The server's time counts: the page says what it was when the page
 * was made, and the browser counts on from there without its own clock, which may be wrong or be set.
 */

import { t } from "../base/text.js";
import { serverTime } from "./api.js";

const PERIOD = 250; // milliseconds between two looks
const SLEPT = 2_000; // milliseconds by which the browser's two clocks differ when the device was asleep
const DAY = 86_400;
const AGAIN = 5_000; // milliseconds until the server is asked again
let base = 0; // milliseconds: the server's time, less `performance.now()`
let timer = 0, ahead = 0;

/** By how much the time of the day is ahead of `performance.now()`, which may stand still while a device sleeps. */
function lead() {
  return Date.now() - performance.now();
}

/** After a sleep, ask the server for its time. */
async function wake() {
  if (Math.abs(lead() - ahead) < SLEPT) return;
  ahead = lead();
  const at = await serverTime();
  if (at) base = at - performance.now();
  else setTimeout(() => (ahead = -Infinity), AGAIN);
}

/** The server's time, in milliseconds since 1970. */
function now() {
  return base + performance.now();
}

/** It is at least so late on the server. @param {number} at microseconds UTC */
export function notBefore(at) {
  base = Math.max(base, at / 1000 - performance.now());
}

/** Time left as it is read on a clock. @param {number} milliseconds */
export function written(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000)), two = (/** @type {number} */ part) => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor((seconds % DAY) / 3600), Math.floor((seconds % 3600) / 60)];
  const time = `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  return seconds >= DAY ? t("clock_days", { days: Math.floor(seconds / DAY), time }) : time;
}

/**
 * Show or hide that the time is up beside a clock; there is one only in a match that goes on when a time is up.
 * @param {Element} clock @param {boolean} fallen
 */
function showTimeUp(clock, fallen) {
  const found = clock.nextElementSibling;
  if (found?.classList.contains("time-up")) /** @type {HTMLElement} */ (found).hidden = !fallen;
}

/** Show all clocks below a root that run; none is announced. @param {ParentNode} root */
function tick(root) {
  for (const found of root.querySelectorAll("[data-due]")) {
    const left = Number(found.getAttribute("data-due")) / 1000 - now(), text = written(left);
    if (found.textContent !== text) found.textContent = text;
    found.classList.toggle("low", left < 60_000);
    if (left <= 0) showTimeUp(found, true);
  }
}

/**
 * Let all clocks of the page run, if it has any.
 * @param {number | null} at the server's time when the page was made, in microseconds UTC
 * @param {number} [came] when the page came, in milliseconds of `performance`
 */
export function keepClocks(at, came) {
  if (at === null) return;
  const [loaded] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  [base, ahead] = [at / 1000 - (came ?? loaded?.responseStart ?? 0), lead()];
  clearInterval(timer);
  timer = setInterval(() => (wake(), tick(document)), PERIOD);
  tick(document);
}

/**
 * Show what the clocks of a match have come to with a move.
 * @param {ParentNode} root has an element for each seat
 * @param {{as_of: number, left: Record<string, number>, due: Record<string, number>, flagged?: Record<string, number>}} clock see `ClockShown`
 * @param {boolean} [runs] do they run on from there?
 */
export function showClocks(root, clock, runs = true) {
  if (runs) notBefore(clock.as_of);
  for (const found of root.querySelectorAll("[data-clock]")) {
    const element = /** @type {HTMLElement} */ (found), seat = element.dataset.clock ?? "", due = runs ? clock.due[seat] : undefined;
    element.classList.remove("low");
    if (due === undefined) {
      delete element.dataset.due;
      element.textContent = seat in clock.left ? written(clock.left[seat] / 1000) : t("clock_none");
    } else element.dataset.due = String(due);
    element.classList.toggle("runs", due !== undefined);
    showTimeUp(element, seat in (clock.flagged ?? {}));
  }
  tick(root);
}
