// @ts-check
/** Tables that a click on the head of a column sorts. */

import { h } from "../base/dom.js";

const compare = new Intl.Collator(document.documentElement.lang || "en", { numeric: true }).compare;

/** What a cell is sorted by. @param {Element} row @param {number} column */
function key(row, column) {
  const cell = row.children[column];
  return cell.getAttribute("data-sort") ?? cell.textContent?.trim() ?? "";
}

/** Sort a table by a column, downwards first. @param {HTMLTableElement} table @param {number} column */
function sort(table, column) {
  const heads = [...table.tHead?.rows[0].cells ?? []], body = table.tBodies[0];
  const down = heads[column].getAttribute("aria-sort") !== "descending";
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...body.rows].sort((one, two) => compare(key(one, column), key(two, column)) * (down ? -1 : 1));
  body.append(...rows);
  table.dispatchEvent(new Event("sorted"));
}

/** Let all tables of the page that can be sorted be sorted. */
export function sortTables() {
  for (const found of document.querySelectorAll("table[data-sortable]")) {
    const table = /** @type {HTMLTableElement} */ (found);
    [...table.tHead?.rows[0].cells ?? []].forEach((head, column) => {
      const button = h("button", { type: "button", on: { click: () => sort(table, column) } }, ...head.childNodes);
      head.replaceChildren(button);
    });
  }
}
