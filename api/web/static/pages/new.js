// @ts-check
/** Opening a match: reads the form, opens the match, sits down, and says how to bring the other player. */

import { byId, h } from "../base/dom.js";
import { t } from "../base/text.js";
import { read, Refusal, send } from "../data/api.js";
import { newSalt, openSalts, sitDown } from "../data/salts.js";
import { saltField } from "../parts/salt.js";

const state = JSON.parse(byId("state").textContent ?? "{}");
const form = /** @type {HTMLFormElement} */ (byId("form"));
const key = newSalt(); // of the request that opens the match: a second click opens no second one
const salt = saltField();
/** @type {string | null} */
let opponent = state.opponent;

/** What is chosen of a name. @param {string} name */
function chosen(name) {
  const found = /** @type {HTMLInputElement | null} */ (form.querySelector(`input[name="${name}"]:checked`));
  return found?.value ?? "";
}

// ── options ──

/** @typedef {{name: string, value: any, label: string}} Chosen */

/** What is chosen of an option. @param {Element} option @returns {Promise<Chosen>} */
async function value(option) {
  const name = option.getAttribute("data-option") ?? "";
  const radio = /** @type {HTMLInputElement | null} */ (option.querySelector("input[type=radio]:checked"));
  const number = /** @type {HTMLInputElement | null} */ (option.querySelector("input[type=number]"));
  const file = /** @type {HTMLInputElement | null} */ (option.querySelector("input[type=file]"));
  if (radio?.dataset.value !== undefined) return { name, value: JSON.parse(radio.dataset.value), label: radio.dataset.label ?? "" };
  if (file && radio) {
    const content = file.files?.[0];
    if (!content) throw new Refusal(0, { detail: t("new_no_file") });
    try {
      return { name, value: JSON.parse(await content.text()), label: content.name };
    } catch {
      throw new Refusal(0, { detail: t("new_bad_file") });
    }
  }
  return { name, value: Number(number?.value), label: number?.value ?? "" };
}

const touched = new Set(); // what the player set by hand is sent, also if an edition has it so by itself

/**
 * The options that differ from the default; `same` gets those that were set to it by hand.
 * @param {Chosen[]} [same]
 * @returns {Promise<[Element, Chosen][]>}
 */
async function differing(same = []) {
  const found = /** @type {[Element, Chosen][]} */ ([]);
  for (const option of form.querySelectorAll("[data-option]")) {
    const told = await value(option);
    if (JSON.stringify(told.value) !== JSON.stringify(state.defaults[told.name])) found.push([option, told]);
    else if (touched.has(told.name)) same.push(told);
  }
  return found;
}

/** Show which options differ. */
async function summarize() {
  for (const option of form.querySelectorAll(".option")) option.classList.remove("differs");
  let found = /** @type {[Element, Chosen][]} */ ([]);
  try {
    found = await differing();
  } catch {
    // a file is still to be chosen
  }
  for (const [option] of found) option.classList.add("differs");
  byId("differing").replaceChildren(...found.map(([option, { label }]) =>
    h("li", {}, option.getAttribute("aria-label"), ": ", h("strong", {}, label))));
  byId("differing-none").hidden = found.length > 0;
}

// ── the other player ──

function against() {
  byId("find").hidden = chosen("against") !== "player";
  const bots = document.getElementById("bots");
  const lacking = document.getElementById("lacking");
  for (const part of [bots, lacking]) if (part) part.hidden = chosen("against") !== "bot";
}

let searching = 0;

/** Find players whose names begin so. */
async function find() {
  const name = /** @type {HTMLInputElement} */ (byId("name")).value.trim(), turn = (searching += 1);
  opponent = null;
  if (name.length < 2) return byId("found").replaceChildren();
  try {
    const { players } = await read(`/v1/players?prefix=${encodeURIComponent(name)}&limit=8`);
    if (turn !== searching) return;
    const others = players.filter((/** @type {any} */ one) => one.player !== state.player);
    byId("found").replaceChildren(...others.map(found), ...(others.length ? [] : [h("li", {}, t("new_nobody"))]));
  } catch (error) {
    if (turn === searching) say(error);
  }
}

/** @param {any} player */
function found(player) {
  const button = h("button", { type: "button", "aria-pressed": "false" }, h("bdi", {}, player.name));
  button.addEventListener("click", () => {
    opponent = player.player;
    for (const other of byId("found").querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
  });
  return h("li", {}, button);
}

// ── the clock ──

/** @param {string} id */
function field(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

/** Show the fields of the kind of clock that is chosen. */
function showClock() {
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-clock-mode]"))) {
    part.hidden = part.dataset.clockMode !== chosen("clock");
    for (const input of part.querySelectorAll("input")) input.disabled = part.hidden;
  }
}

/** The terms of the clock that is chosen, as the request has them. */
function clock() {
  const mode = chosen("clock"), terms = /** @type {object[]} */ ([]);
  if (mode === "bank") terms.push({ mode, main: 60 * field("main").valueAsNumber, increment: field("increment").valueAsNumber });
  if (mode === "days") terms.push({ mode, days: field("days").valueAsNumber, cap: field("cap").valueAsNumber });
  if (field("until").value) terms.push({ mode: "until", until: Date.parse(field("until").value) * 1000 });
  const reports = /** @type {HTMLInputElement} */ (byId("report")).checked ? { time_up: "report" } : {};
  return terms.length ? { clock: terms.map((term) => ({ ...term, ...reports })) } : {};
}

// ── opening ──

async function open() {
  const how = chosen("against");
  if (how === "player" && !opponent) throw new Refusal(0, { detail: t("new_choose_player") });
  const wanted = chosen("seat");
  const drawn = state.seats[crypto.getRandomValues(new Uint32Array(1))[0] % state.seats.length];
  const seat = wanted || drawn, others = state.seats.filter((/** @type {string} */ one) => one !== seat);
  const reserved = how === "player" ? { player: opponent } : how === "invitation" ? { invitation: true } : null;
  const same = /** @type {Chosen[]} */ ([]);
  const options = [...(await differing(same)).map(([, told]) => told), ...same];
  const body = {
    game: state.game,
    edition: chosen("edition") || state.edition,
    options: Object.fromEntries(options.map((told) => [told.name, told.value])),
    ...(/** @type {HTMLInputElement} */ (byId("private")).checked ? { private: true } : {}),
    ...clock(),
    ...(reserved ? { reserved: Object.fromEntries(others.map((/** @type {string} */ other) => [other, reserved])) } : {}),
  };
  const told = await send("POST", "/v1/matches", body, { "Idempotency-Key": key });
  if (told.receipt) localStorage.setItem(`receipt ${told.match}`, told.receipt);
  if (told.seats[seat] === null) await sitDown(told.match, seat, salt(), state.scheme);
  for (const other of others) {
    if (how === "self") await sitDown(told.match, other, newSalt(), state.scheme);
    if (how === "bot") await send("POST", `/v1/matches/${told.match}/seats/${other}`, { bot: /** @type {any} */ (byId("bot")).value });
  }
  await openSalts([told.match]);
  for (const [place, code] of Object.entries(told.invitations ?? {})) localStorage.setItem(`invitation ${told.match} ${place}`, String(code));
  const path = how === "bot" || how === "self" ? `/m/${told.match}` : `/m/${told.match}/sit`;
  location.assign(path);
}

/** @param {unknown} error */
function say(error) {
  const text = error instanceof Error ? error.message : String(error);
  byId("outcome").replaceChildren(h("p", { class: "outcome wrong" }, text));
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (byId("open"));
  button.disabled = true;
  byId("outcome").replaceChildren();
  try {
    await open();
  } catch (error) {
    say(error);
    button.disabled = false;
  }
});
form.addEventListener("change", (event) => {
  const option = /** @type {Element} */ (event.target).closest("[data-option]");
  if (option) touched.add(option.getAttribute("data-option"));
  against();
  showClock();
  summarize();
});
form.addEventListener("input", (event) => {
  const changed = /** @type {HTMLInputElement} */ (event.target), option = changed.closest("[data-option]");
  if (changed.id === "name") find();
  if (option && changed.type === "number") {
    const radio = /** @type {HTMLInputElement | null} */ (option.querySelector("input[data-number]"));
    if (radio) radio.checked = true;
    summarize();
  }
  if (option && changed.type === "file") {
    const radio = /** @type {HTMLInputElement | null} */ (option.querySelector("input[data-file]"));
    if (radio) radio.checked = true;
  }
});
against();
showClock();
summarize();
document.documentElement.dataset.ready = "true";
