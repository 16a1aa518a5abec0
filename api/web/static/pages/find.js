// @ts-check
/** The page that finds positions: ids are inserted by a click, the caret stands where a search goes wrong, and hits are drawn. */

import { byId, on } from "../base/dom.js";
import { drawRates, drawTables } from "../parts/table_charts.js";
import { sortTables } from "../parts/tables.js";

const field = /** @type {HTMLInputElement} */ (byId("where"));
const state = JSON.parse(byId("state").textContent ?? "{}");

/** Insert a word at the caret, apart from the words beside it. @param {string} word */
function insert(word) {
  const from = field.selectionStart ?? field.value.length, to = field.selectionEnd ?? from;
  const before = field.value.slice(0, from), after = field.value.slice(to);
  const text = `${/[^\s(]$/.test(before) ? " " : ""}${word}${/^[^\s)]/.test(after) ? " " : ""}`;
  field.setRangeText(text, from, to, "end");
  field.focus();
}

on(document, "click", "[data-insert]", (button) => insert(button.dataset.insert));
if (state.at) {
  field.focus();
  field.setSelectionRange(state.at - 1, state.at);
}
sortTables();
drawTables();
drawRates();
document.documentElement.dataset.ready = "true";
