// @ts-check
/** Which cards may lie face down in a panel, for all that the shown view knows: a list on request. */

import { h } from "../base/dom.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";
import { read } from "../data/api.js";

const path = `/v1/matches/${page.start.match}/scene`;

/** Fill the boxes that panels offer, from now on. */
export function mount() {
  document.addEventListener("toggle", ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.matches(".may-be")) fill(target);
  }, true);
  page.on(["scene"], () => document.querySelectorAll(".may-be").forEach((box) => fill(/** @type {HTMLDetailsElement} */ (box))));
}

/** What is shown belongs to the scene on show; a closed box asks for nothing. @param {HTMLDetailsElement} box */
function fill(box) {
  while (box.childElementCount > 1) box.lastElementChild?.remove();
  if (box.open) list(box, box.dataset.of ?? "");
}

/** @param {HTMLElement} into @param {string} name */
async function list(into, name) {
  const { scene, peek, move, view, vocabulary } = page.all();
  try {
    const { candidates } = await read(`${path}?${new URLSearchParams({ at: peek || move, view, candidates: "true" })}`);
    if (scene !== page.get("scene") || into.childElementCount > 1) return;
    const found = Object.entries(candidates).filter(([panel]) => panel === name || panel.startsWith(`${name}.`));
    for (const [panel, ids] of found) {
      const about = panel === name ? "" : `${vocabulary.field(panel.slice(name.length + 1))}: `;
      into.append(h("p", {}, about, t("may_be_any", { count: ids.length })), h("ul", {}, ...ids.map(
        (/** @type {string} */ id) => h("li", { "data-id": id }, vocabulary.name(id)))));
    }
    if (!found.length) into.append(h("p", {}, t("may_be_no_card")));
  } catch (error) {
    into.append(h("p", {}, t("load_failed", { problem: /** @type {Error} */ (error).message })));
  }
}
