// @ts-check
/** The form in which an administrator makes a one-time link for a player who has neither token nor session left. */

import { byId, h } from "../base/dom.js";
import { localTime, t } from "../base/text.js";
import { read, Refusal, send } from "../data/api.js";

const own = byId("recovery").dataset.player;
const form = /** @type {HTMLFormElement} */ (byId("recover"));
let searches = 0;

/** What the server refuses is said in words. @param {() => Promise<void>} act */
async function attempt(act) {
  const problem = byId("recovery-problem");
  problem.hidden = true;
  try {
    await act();
  } catch (error) {
    problem.textContent = error instanceof Refusal && !error.status && !error.problem.own ? t("sign_no_answer") : /** @type {Error} */ (error).message;
    problem.hidden = false;
  }
}

/** Show the players whose names begin so. */
async function find() {
  const name = String(new FormData(form).get("name")).trim(), search = (searches += 1);
  if (name.length < 2) return byId("recovery-found").replaceChildren();
  const { players } = await read(`/v1/players?prefix=${encodeURIComponent(name)}&limit=8`);
  if (search !== searches) return;
  const others = players.filter((/** @type {any} */ one) => one.player !== own);
  byId("recovery-found").replaceChildren(...others.map(choice), ...(others.length ? [] : [h("p", {}, t("new_nobody"))]));
}

/** Names may be alike, so the id stands beside each. @param {{player: string, name: string}} player */
function choice({ player, name }) {
  return h("label", { class: "check" }, h("input", { type: "radio", name: "player", value: player, required: true }),
    h("bdi", {}, name), h("code", {}, player));
}

async function make() {
  byId("recovery-made").hidden = true;
  const data = new FormData(form), player = data.get("player");
  if (!player) throw new Refusal(0, { detail: t("new_choose_player"), own: true });
  const made = await send("POST", "/v1/sessions/links", { player, reason: String(data.get("reason")).trim() });
  const name = form.querySelector(`label:has([value="${CSS.escape(String(player))}"]) bdi`)?.textContent ?? "";
  byId("recovery-for").textContent = t("recovery_for", { name });
  /** @type {HTMLInputElement} */ (byId("recovery-address")).value = made.address;
  byId("recovery-qr").setAttribute("src", `data:image/svg+xml,${encodeURIComponent(made.qr)}`);
  byId("recovery-until").textContent = t("sign_link_until", { time: localTime(made.expires) });
  byId("recovery-made").hidden = false;
  byId("recovery-made").focus();
}

form.addEventListener("input", (event) => {
  if (/** @type {HTMLInputElement} */ (event.target).name === "name") attempt(find);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(make);
});
