// @ts-check
/** Sitting down at a match, by a link or an invitation; for its players: the link that brings the other one. */

import { byId, h } from "../base/dom.js";
import { t } from "../base/text.js";
import { send } from "../data/api.js";
import { listen, rowsOf } from "../data/lobby.js";
import { openSalts, sitDown } from "../data/salts.js";
import { saltField } from "../parts/salt.js";

const state = JSON.parse(byId("state").textContent ?? "{}");
const table = `/m/${state.match}`;
const code = decodeURIComponent(location.hash.slice(1));

/** @param {unknown} error */
function say(error) {
  byId("outcome").replaceChildren(h("p", { class: "outcome wrong" }, error instanceof Error ? error.message : String(error)));
}

/** Do something at a click; what goes wrong is said. @param {HTMLElement} button @param {() => Promise<void>} work */
function onClick(button, work) {
  button.addEventListener("click", async () => {
    /** @type {HTMLButtonElement} */ (button).disabled = true;
    try {
      await work();
    } catch (error) {
      say(error);
    }
    /** @type {HTMLButtonElement} */ (button).disabled = false;
  });
}

/** Sit down; the code of the invitation fits the seat that is reserved. */
async function sit() {
  const seat = /** @type {HTMLInputElement} */ (document.querySelector("input[name=seat]:checked")).value;
  await sitDown(state.match, seat, salt(), state.scheme, code && state.reserved.includes(seat) ? code : undefined);
  await openSalts([state.match]);
  location.assign(table);
}

/** The link for the other player; a code that was made here stands behind it. */
function invitation() {
  for (const seat of state.free) {
    const known = localStorage.getItem(`invitation ${state.match} ${seat}`);
    const address = `${location.origin}${table}/sit?seat=${seat}`;
    if (known || !state.reserved.includes(seat)) return known ? `${address}#${known}` : address;
  }
  return `${location.origin}${table}/sit`;
}

let salt = () => "";
const link = /** @type {HTMLInputElement | null} */ (document.getElementById("link"));
if (document.getElementById("sit")) {
  salt = saltField();
  onClick(byId("sit"), sit);
  if (code && state.reserved.length) {
    const seat = /** @type {HTMLInputElement | null} */ (document.querySelector(`input[value="${CSS.escape(state.reserved[0])}"]`));
    if (seat && !new URLSearchParams(location.search).has("seat")) seat.checked = true;
  }
}
if (link) {
  link.value = invitation();
  onClick(byId("copy"), async () => {
    link.select();
    await navigator.clipboard?.writeText(link.value);
    byId("copy").textContent = t("copied");
  });
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-bot]"))) {
    onClick(button, async () => {
      await send("POST", `/v1/matches/${state.match}/seats/${button.dataset.seat}`, { bot: button.dataset.bot });
      await openSalts([state.match]);
      location.assign(table);
    });
  }
  const goOn = async (/** @type {any} */ row) => {
    if (row?.match !== state.match || row.status === "open") return;
    await openSalts([state.match]);
    location.assign(table);
  };
  listen(({ row }) => goOn(row), (lobby) => goOn(rowsOf(lobby).find((row) => row.match === state.match)));
}
const signIn = document.getElementById("sign-in");
if (signIn) signIn.setAttribute("href", `/in?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`);
document.documentElement.dataset.ready = "true";
