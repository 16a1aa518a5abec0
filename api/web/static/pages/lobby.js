// @ts-check
/** The first page: it shows what changes, tells whose move it became, and opens the player's salts. */

import { byId } from "../base/dom.js";
import { t } from "../base/text.js";
import { listen, rowsOf } from "../data/lobby.js";
import { load } from "../data/reload.js";
import { openSalts } from "../data/salts.js";
import { keepClocks } from "../data/clocks.js";
import { keepTimes, showTimes } from "../data/times.js";

let state = JSON.parse(byId("state").textContent ?? "{}");
const SOON = 300, LATER = 3_000; // milliseconds; visitors are many, so they ask at different times
let timer = 0;

/** Ask for the page again and take its lists. */
async function refresh() {
  const page = await load();
  const lists = page?.getElementById("lists");
  if (!page || !lists) return;
  const focused = document.activeElement?.closest("[data-match]")?.getAttribute("data-match");
  const shown = /** @type {HTMLElement} */ (document.importNode(lists, true));
  byId("lists").replaceWith(shown);
  showTimes(shown);
  state = JSON.parse(page.getElementById("state")?.textContent ?? "{}");
  keepClocks(state.now ?? null, performance.now());
  document.title = page.title;
  const next = document.querySelector(".next-question"), now = page.querySelector(".next-question");
  if (now && !next) byId("lists").after(document.importNode(now, true));
  else if (now && next) next.replaceWith(document.importNode(now, true));
  else next?.remove();
  if (focused) /** @type {HTMLElement | null} */ (shown.querySelector(`[data-match="${CSS.escape(focused)}"] a`))?.focus();
  badge(shown.querySelectorAll(".group-mine [data-match]").length);
  openWaiting();
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(refresh, state.player ? SOON : SOON + Math.random() * LATER);
}

/** @param {any} change */
function changed(change) {
  const { row, group } = change;
  if (group === "mine" && row) byId("live").textContent = t("lobby_your_move", { title: row.title });
  soon();
}

/** What happened before the page listened is on no message: it shows in the lobby. @param {any} lobby @param {boolean} isFirst */
function began(lobby, isFirst) {
  const listed = rowsOf(lobby).filter(({ game }) => !state.game || game === state.game);
  const rows = listed.map((row) => `${row.match} ${row.own.length ? row.move : row.status}`);
  if (!isFirst || rows.join() !== state.rows.join()) soon();
}

/** A number on the icon of the page, where the system shows one. @param {number} count */
function badge(count) {
  const shown = /** @type {any} */ (navigator);
  if (shown.setAppBadge) (count ? shown.setAppBadge(count) : shown.clearAppBadge()).catch(() => {});
}

/** Open the player's salts in matches that wait for them. */
async function openWaiting() {
  const waiting = [...document.querySelectorAll("[data-task=salt]")].map((row) => row.getAttribute("data-match") ?? "");
  if (waiting.length) await openSalts(waiting).catch(() => {}); // another time
}

keepTimes();
keepClocks(state.now);
badge(state.mine);
openWaiting();
listen(changed, began);
document.documentElement.dataset.ready = "true";
