// @ts-check
/** The dialog in which an organizer rules on a match: what and why, then the tables before and after it. */

import { byId, h } from "../base/dom.js";
import { start } from "../base/page.js";
import { t } from "../base/text.js";
import { read, Refusal, send } from "../data/api.js";
import { Vocabulary } from "../data/vocabulary.js";

/** @typedef {{reason: string, back_to?: number, result?: {winner: string | null, score: Record<string, number>}, void?: boolean}} Ruling */

const dialog = /** @type {HTMLDialogElement} */ (byId("ruling"));
const form = /** @type {HTMLFormElement} */ (byId("ruling-form"));
let key = ""; // of the request: a ruling that is sent twice is recorded once
let last = start.last; // the latest move that the organizer has seen

/** The ruling that the form describes. @returns {Ruling} */
function chosen() {
  const data = new FormData(form), reason = String(data.get("reason")).trim();
  if (data.get("what") === "back") return { reason, back_to: Number(data.get("back_to")) };
  if (data.get("what") === "void") return { reason, void: true };
  const scores = [...data].filter(([name, value]) => name.startsWith("score ") && value !== "");
  const score = Object.fromEntries(scores.map(([name, value]) => [name.slice("score ".length), Number(value)]));
  return { reason, result: { winner: String(data.get("winner")) || null, score } };
}

/** Show the fields of what is chosen. */
function showFields() {
  const what = new FormData(form).get("what");
  for (const one of ["back", "result"]) {
    const part = /** @type {HTMLElement} */ (form.querySelector(`.of-${one}`));
    part.hidden = what !== one;
    for (const field of part.querySelectorAll("input, select")) field.toggleAttribute("disabled", what !== one);
  }
}

/** What a ruling does, in one sentence. @param {Ruling} ruling */
function sentence(ruling) {
  if (ruling.back_to !== undefined) {
    return t("rule_says_back", { move: ruling.back_to, first: ruling.back_to + 1, last });
  }
  if (ruling.void) return t("rule_says_void");
  const { winner, score } = ruling.result ?? { winner: null, score: {} };
  const named = (/** @type {string} */ seat) => form.querySelector(`option[value="${CSS.escape(seat)}"]`)?.textContent ?? seat;
  const points = Object.entries(score).map(([seat, count]) => `${named(seat)} ${count}`).join(", ");
  const ended = winner ? t("rule_says_winner", { winner: named(winner) }) : t("rule_says_no_winner");
  return points ? `${ended} ${t("rule_says_score", { points })}` : ended;
}

/** The table after a move, as a spectator sees it. @param {Vocabulary} words @param {number} move @param {string} title */
async function table(words, move, title) {
  const address = `/v1/matches/${start.match}/scene?at=${move}&view=spectator`;
  const { scene } = await read(address), items = Object.entries(scene.panels.status?.items ?? {});
  const caption = `${title}: ${t("rule_after_move", { move })}`;
  const board = start.has_board ? h("img", { src: address, alt: caption }) : null;
  const lines = items.flatMap(([name, value]) => [h("dt", {}, words.field(name)), h("dd", {}, words.name(value))]);
  return h("figure", {}, h("figcaption", {}, caption), board, h("dl", {}, ...lines));
}

/** Show the second step: the tables before and after. */
async function preview() {
  const ruling = chosen(), words = await Vocabulary.load(start.vocabulary);
  const tables = [await table(words, last, t("rule_now"))];
  if (ruling.back_to !== undefined) tables.push(await table(words, ruling.back_to, t("rule_then")));
  byId("ruling-said").textContent = sentence(ruling);
  byId("ruling-reason").textContent = ruling.reason;
  byId("ruling-both").replaceChildren(...tables);
  key = crypto.getRandomValues(new Uint32Array(4)).join("-");
  showStep(true);
  byId("ruling-preview").focus();
}

/** @param {boolean} second the step that shows the tables */
function showStep(second) {
  for (const id of ["ruling-choice", "ruling-next"]) byId(id).hidden = second;
  for (const id of ["ruling-preview", "ruling-do", "ruling-change"]) byId(id).hidden = !second;
}

async function rule() {
  const done = await send("POST", `/v1/matches/${start.match}/rulings`, { expect: last, ...chosen() }, { "Idempotency-Key": key });
  history.replaceState(null, "", `/m/${start.match}/audit#m${done.move}`);
  location.reload();
}

/** The match went on meanwhile: back to the first step, which then shows the table as it is now. */
async function lookAgain() {
  last = (await read(`/v1/matches/${start.match}`)).move;
  showStep(false);
}

/** One thing at a time; what the server refuses is said in words. @param {() => Promise<void>} act */
async function attempt(act) {
  const problem = byId("ruling-problem"), buttons = [...form.querySelectorAll("button")];
  problem.hidden = true;
  for (const button of buttons) button.disabled = true;
  try {
    await act();
  } catch (error) {
    problem.textContent = /** @type {Error} */ (error).message;
    problem.hidden = false;
    if (error instanceof Refusal && error.kind === "stale") await lookAgain();
  }
  for (const button of buttons) button.disabled = false;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!byId("ruling-next").hidden) attempt(preview);
});
form.addEventListener("change", showFields);
byId("ruling-do").addEventListener("click", () => attempt(rule));
byId("ruling-change").addEventListener("click", () => showStep(false));
byId("ruling-cancel").addEventListener("click", () => dialog.close());
byId("rule").addEventListener("click", () => {
  showStep(false);
  byId("ruling-problem").hidden = true;
  dialog.showModal();
});
showFields();
byId("rule").hidden = false;
