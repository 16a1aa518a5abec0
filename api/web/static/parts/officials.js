// @ts-check
/** The dialog in which an organizer sets or pauses the clocks of a match, freezes it or releases it, for a reason. */

import { byId } from "../base/dom.js";
import * as page from "../base/page.js";
import { Refusal, send } from "../data/api.js";

const MINUTE = 60_000_000, DAY = 1440 * MINUTE; // microseconds
const dialog = /** @type {HTMLDialogElement} */ (byId("officials-dialog")), form = /** @type {HTMLFormElement} */ (byId("officials-form"));
const problem = byId("officials-problem"), path = `/v1/matches/${page.start.match}`;
let key = "", expect = 0; // of the request: what is sent twice is done once, on the match that the organizer saw

/** The request that the form describes. @returns {[string, any]} */
function chosen() {
  const data = new FormData(form), what = data.get("what"), reason = String(data.get("reason")).trim();
  if (what === "freeze" || what === "release") return ["freeze", { reason, frozen: what === "freeze" }];
  if (what !== "time") return ["clock", { why: reason, paused: what === "pause" }];
  const left = Number(data.get("days")) * DAY + Number(data.get("minutes")) * MINUTE;
  return ["clock", { why: reason, seat: data.get("seat"), left }];
}

/** The fields of the time are there if a time is set. */
function showFields() {
  const part = /** @type {HTMLElement | null} */ (form.querySelector(".of-time")), sets = new FormData(form).get("what") === "time";
  if (!part) return;
  part.hidden = !sets;
  for (const field of part.querySelectorAll("input, select")) field.toggleAttribute("disabled", !sets);
}

/** From now on it is another request. */
function anew() {
  [key, expect] = [crypto.getRandomValues(new Uint32Array(4)).join("-"), page.get("last")];
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (event.submitter ?? form.querySelector("[type=submit]")), [where, body] = chosen();
  problem.hidden = button.disabled = true;
  try {
    await send("POST", `${path}/${where}`, { ...body, expect }, { "Idempotency-Key": key });
    dialog.close();
  } catch (error) {
    problem.textContent = /** @type {Error} */ (error).message;
    problem.hidden = false;
    if (error instanceof Refusal && error.kind) anew();
  }
  button.disabled = false;
});
form.addEventListener("change", () => (anew(), showFields()));
byId("officials-cancel").addEventListener("click", () => dialog.close());
byId("officials").addEventListener("click", () => {
  problem.hidden = true;
  form.reset();
  anew();
  showFields();
  dialog.showModal();
});
byId("officials").hidden = false;
