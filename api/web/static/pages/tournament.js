// @ts-check
/** Pages of a tournament: tables that can be sorted, times as times ago, clocks that run, and boards that are live. */

import { byId } from "../base/dom.js";
import { t } from "../base/text.js";
import { keepClocks } from "../data/clocks.js";
import { listen } from "../data/lobby.js";
import { load } from "../data/reload.js";
import { keepTimes, showTimes } from "../data/times.js";
import { sortTables } from "../parts/tables.js";

const state = JSON.parse(byId("state").textContent ?? "{}");
const SOON = 300, LATER = 2_000; // milliseconds; readers are many, so they ask at different times
const SAID = ["result_recorded", "ruled", "round_published", "round_closed"]; // kinds of entries that are announced
let timer = 0;

/** Ask for the page again and take its boards. */
async function refresh() {
  const page = await load();
  const live = page?.getElementById("live");
  if (!page || !live) return;
  const held = document.activeElement, focused = byId("live").contains(held) ? held?.getAttribute("href") : null;
  const shown = /** @type {HTMLElement} */ (document.importNode(live, true));
  byId("live").replaceWith(shown);
  showTimes(shown);
  keepClocks(JSON.parse(page.getElementById("state")?.textContent ?? "{}").now ?? null, performance.now());
  if (focused) /** @type {HTMLElement | null} */ (shown.querySelector(`[href="${CSS.escape(focused)}"]`))?.focus();
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(refresh, SOON + Math.random() * LATER);
}

/** @param {any} change */
function changed(change) {
  if (SAID.includes(change.entry?.kind)) byId("said").textContent = t("tournament_changed");
  soon();
}

sortTables();
keepTimes();
keepClocks(state.now ?? null);
if (state.live) listen(changed, (_, isFirst) => isFirst || soon(), { do: "follow_tournament", tournament: state.live, after: state.entry });
document.documentElement.dataset.ready = "true";
