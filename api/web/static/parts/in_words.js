// @ts-check
/** The board in words: a table by regions, a row for each space, with all that the drawing shows by its place. */

import { byId, h } from "../base/dom.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";

const frame = byId("board");
/** @type {HTMLElement | null} */
let table = null;

let mounted = false;

/** Show the table where the reader asked for words, from now on. */
export function mount() {
  if (mounted) return;
  mounted = true;
  page.on(["inWords", "scene", "pickable", "picked", "vocabulary"], show);
  show(page.all());
}

/** @param {Readonly<Record<string, any>>} state */
function show({ inWords, scene, vocabulary, pickable, picked }) {
  const { regions, spaces } = vocabulary;
  if (!inWords || !scene || !regions.length) {
    table?.remove();
    table = null;
    return;
  }
  const focused = table?.contains(document.activeElement) ? document.activeElement?.getAttribute("data-id") : null;
  const mark = (/** @type {string} */ id) => (picked?.has(id) ? t("space_picked") : pickable?.has(id) ? t("space_pickable") : "");
  const made = h("table", { class: "board-table" }, heading(), ...regions.map((/** @type {any} */ region) =>
    h("tbody", {}, h("tr", { class: "region-row" }, h("th", { scope: "rowgroup", colspan: 3 },
      region.about ? t("region_in_words", region) : region.name)),
    ...Object.keys(spaces).filter((id) => spaces[id].places[0] === region.id).map((id) => row(id, scene.board?.[id] ?? {}, mark(id))))));
  if (table) table.replaceWith(made);
  else frame.append(made);
  table = made;
  if (focused) /** @type {HTMLElement | null} */ (made.querySelector(`[data-id="${CSS.escape(focused)}"]`))?.focus();
}

function heading() {
  const columns = ["space", "space_holds", "space_near"].map((key) => h("th", { scope: "col" }, t(key)));
  return h("thead", {}, h("tr", {}, ...columns));
}

/** A space: what is printed on it, what lies on it, and what it is connected to. @param {string} id @param {Record<string, any>} slots @param {string} mark */
function row(id, slots, mark) {
  const words = page.get("vocabulary"), { places, near = [], routes = [] } = words.spaces[id];
  const names = (/** @type {string[]} */ ids) => ids.map((one) => words.name(one)).join(", ");
  const printed = document.getElementById(`s-${id}`)?.dataset.label ?? words.name(id);
  const within = places.length > 1 ? ` (${names(places.slice(1))})` : "";
  const button = h("button", { type: "button", "data-id": id, on: { click: () => page.set({ clicked: { id } }) } }, printed + within);
  return h("tr", { class: mark ? "pickable" : "" }, h("th", { scope: "row" }, button, mark ? ` – ${mark}` : ""),
    h("td", {}, words.lies(slots) || t("nothing_here")),
    h("td", {}, names(near), routes.length ? `${near.length ? "; " : ""}${t("space_routes", { names: names(routes) })}` : ""));
}
