// @ts-check
/** The form on the page of signing in that says what a player is notified of. */

import { byId, h, on } from "../base/dom.js";
import { t } from "../base/text.js";
import { Refusal, read, send } from "../data/api.js";

const OFTEN = {
  "": t("notify_as_above"),
  "at-once": t("notify_at_once"),
  hourly: t("notify_hourly"),
  daily: t("notify_daily"),
  never: t("notify_never"),
};
/** @type {Record<string, string>} */
const SAVED = { none: t("notify_saved_none"), unconfirmed: t("notify_saved_unconfirmed") };
/** @type {Record<string, string>} */
const matches = JSON.parse(byId("notify-state").textContent ?? "{}").matches;

/** What the server refuses is said in words. @param {() => Promise<unknown>} act */
async function attempt(act) {
  const problem = byId("notify-problem");
  problem.hidden = true;
  try {
    await act();
  } catch (error) {
    problem.textContent = error instanceof Refusal && error.status ? error.message : t("sign_no_answer");
    problem.hidden = false;
    problem.scrollIntoView({ block: "nearest" });
  }
}

async function save() {
  const form = /** @type {HTMLFormElement} */ (byId("notify")), data = new FormData(form);
  const told = await send("PUT", "/v1/notifications", {
    address: String(data.get("address") ?? "").trim() || null,
    often: data.get("often"),
    while_open: data.has("while_open"),
    matches,
  });
  byId("notify-done").textContent = SAVED[told.state] ?? t("notify_saved");
}

/** The matches that are not over, each with a wish of its own. */
async function list() {
  const lobby = await read("/v1/lobby");
  const rows = [...lobby.mine, ...lobby.theirs, ...lobby.open];
  const known = new Set(rows.map((row) => row.match));
  for (const match of Object.keys(matches)) if (!known.has(match)) delete matches[match];
  byId("notify-list").replaceChildren(...rows.map(choice));
  if (!rows.length) byId("notify-list").textContent = t("notify_no_match");
}

/** @param {{match: string, title: string}} row */
function choice(row) {
  const options = Object.entries(OFTEN).map(([often, words]) => h("option", { value: often }, words));
  const select = /** @type {HTMLSelectElement} */ (h("select", { "data-match": row.match }, ...options));
  select.value = matches[row.match] ?? "";
  return h("label", {}, `${row.title}, ${row.match} `, select);
}

async function renewFeed() {
  const told = await send("POST", "/v1/notifications/feed", {});
  /** @type {HTMLInputElement} */ (byId("feed")).value = told.feed;
  byId("feed-shown").hidden = false;
}

document.getElementById("notify")?.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(save);
});
document.getElementById("notify-matches")?.addEventListener("toggle", () => attempt(list), { once: true });
on(document, "change", "#notify-list select", (select) => {
  if (select.value) matches[select.dataset.match] = select.value;
  else delete matches[select.dataset.match];
});
on(document, "click", "[data-notify=feed]", () => attempt(renewFeed));
