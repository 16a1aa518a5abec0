// @ts-check
/** Keys: which one does what, the list of them, and the switches for single letters (WCAG 2.1.4) and for motion. */

import { h } from "./dom.js";
import { t } from "./text.js";

const SWITCH = "single-letters", MOTION = "motion";
const still = matchMedia("(prefers-reduced-motion: reduce)");
/** @type {Map<string, {act: (event: KeyboardEvent) => void, about: string, shown: string}>} */
const keys = new Map();

/** Are single letters keys? */
export const singles = () => isOn(SWITCH);

/** May things move? Neither the system nor the reader has switched it off. */
export const moving = () => !still.matches && isOn(MOTION);

/** @param {string} name of a switch */
function isOn(name) {
  try {
    return localStorage.getItem(name) !== "off";
  } catch {
    return true; // in a frame of another page a browser may lock its storage
  }
}

/**
 * Bind keys.
 * @param {string} names as `event.key` has them, with a blank between; `Shift+` and `Ctrl+` before one
 * @param {string} about the key of the text that says what they do
 * @param {(event: KeyboardEvent) => void} act
 * @param {string} [shown] how the list shows them
 */
export function bind(names, about, act, shown) {
  for (const name of names.split(" ")) keys.set(name, { act, about, shown: shown ?? names });
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  if (event.defaultPrevented || event.altKey || event.metaKey) return;
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = target.matches("textarea, select, input:not([type=range], [type=radio], [type=checkbox])");
  const letter = event.key.length === 1;
  if (typing || (letter && (event.ctrlKey || !singles()))) return;
  if (document.querySelector("dialog[open]")) return;
  const key = event.key === " " ? "Space" : letter ? event.key.toLowerCase() : event.key;
  if (key === "Space" && target.matches("button, a, summary, input")) return;
  const prefix = letter ? "" : `${event.ctrlKey ? "Ctrl+" : ""}${event.shiftKey ? "Shift+" : ""}`;
  const found = keys.get(prefix + key);
  if (!found) return;
  event.preventDefault();
  found.act(event);
}
document.addEventListener("keydown", pressed);

/** Show the list of keys. */
export function showKeys() {
  const rows = new Map([...keys.values()].map(({ about, shown }) => [about, shown]));
  const list = h("dl", { class: "keys" });
  for (const [about, shown] of rows) {
    list.append(h("div", {}, h("dt", {}, h("kbd", {}, shown)), h("dd", {}, t(about))));
  }
  const close = h("button", { type: "button", class: "primary" }, t("close"));
  const dialog = /** @type {HTMLDialogElement} */ (
    h("dialog", { "aria-label": t("keys_title") },
      h("h2", {}, t("keys_title")), list, turn(SWITCH, "keys_single"), turn(MOTION, "keys_motion"), close)
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** A switch that holds for this browser. @param {string} name @param {string} about the key of its text */
function turn(name, about) {
  const box = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: isOn(name) }));
  box.addEventListener("change", () => localStorage.setItem(name, box.checked ? "on" : "off"));
  return h("label", { class: "switch" }, box, " ", t(about));
}
