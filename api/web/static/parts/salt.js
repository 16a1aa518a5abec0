// @ts-check
/** The field of a player's salt: shown, changeable, and made anew at a click. */

import { byId } from "../base/dom.js";
import { newSalt } from "../data/salts.js";

/** Fill the field of the page, and let the button fill it again; returns what it holds. @returns {() => string} */
export function saltField() {
  const field = /** @type {HTMLInputElement} */ (byId("salt"));
  field.value = newSalt();
  byId("again").addEventListener("click", () => (field.value = newSalt()));
  return () => (field.checkValidity() ? field.value : newSalt());
}
