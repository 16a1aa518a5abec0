// @ts-check
/** What an agent thinks of a match that is over: its win probability at each move, luck and choices, turning points. */

import { lines, moveHere } from "../base/chart.js";
import { h, on } from "../base/dom.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";
import { read, Refusal } from "../data/api.js";

const PAUSE = 2000; // milliseconds between two questions how far it is
const COSTLY = 10, LEAST = 0.02; // answers that the agent would have given otherwise, and what they cost at least
const address = `/v1/matches/${page.start.match}/analysis`;

/** Offer the analysis in an element. @param {HTMLElement} root */
export function offer(root) {
  const outcome = h("p", { class: "outcome", role: "status" });
  const button = /** @type {HTMLButtonElement} */ (h("button", { type: "button", class: "primary" }, t("analysis_ask")));
  const box = h("div", { class: "analysis" }, h("p", { class: "note" }, t("analysis_about")), button, outcome);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      box.replaceChildren(...told(await made(outcome)));
      follow(box);
    } catch (error) {
      button.disabled = false;
      if (error instanceof Refusal && error.status === 401) signIn();
      else outcome.textContent = error instanceof Error ? error.message : String(error);
    }
  });
  root.append(box);
}

/** The analysis, once the server has it; until then it says how far it is. @param {HTMLElement} outcome @returns {Promise<any>} */
async function made(outcome) {
  for (;;) {
    const found = await read(address);
    if ("moves" in found) return found;
    outcome.replaceChildren(found.of ? h("progress", { max: found.of, value: found.done, "aria-label": t("analysis") }) : "",
      ` ${found.of ? t("analysis_far", found) : t("analysis_waits")}`);
    await new Promise((done) => setTimeout(done, PAUSE));
  }
}

/** Come back to this match after signing in. */
function signIn() {
  location.assign(`/in?next=${encodeURIComponent(`/m/${page.start.match}?move=${page.get("move")}`)}`);
}

/** @param {any} found */
function told(found) {
  const words = page.get("vocabulary"), first = words.name(found.first), { agent } = found;
  const turning = found.moves.filter((/** @type {any} */ one) => found.turning_points.includes(one.move));
  const costly = found.moves.filter((/** @type {any} */ one) => one.loss >= LEAST)
    .sort((/** @type {any} */ one, /** @type {any} */ other) => other.loss - one.loss).slice(0, COSTLY)
    .sort((/** @type {any} */ one, /** @type {any} */ other) => one.move - other.move);
  return [
    h("p", { class: "note" }, t("analysis_agent", agent), " ", strength(agent)),
    curve(found, turning),
    sums(found),
    h("h3", {}, t("analysis_turning", { seat: first })), list(turning.map((/** @type {any} */ one) => turned(one))),
    ...(costly.length ? [h("h3", {}, t("analysis_costly")), list(costly.map((/** @type {any} */ one) => cost(one)))] : []),
    numbers(found),
    h("p", {}, h("a", { href: address }, t("analysis_json"))),
  ];
}

/** How strong the level was measured to be. @param {any} agent */
function strength({ level, strength }) {
  if (!strength) return t("analysis_unmeasured", { level });
  const share = percent(strength.points / strength.matches);
  return t("analysis_strength", { level, share, matches: strength.matches, against: strength.against });
}

/** @param {number} share */
function percent(share) {
  return `${Math.round(100 * share)} %`;
}

/** What an answer made of the win probability. @param {any} one */
function change({ before, after }) {
  return t("now", { before: percent(before), after: percent(after) });
}

/** A change in percentage points. @param {number} change */
function points(change) {
  const size = Math.abs(100 * change).toFixed(1);
  return `${change < 0 && Number(size) ? "−" : "+"}${size}`;
}

/** The win probability after each answer; the turning points lead to their moves. @param {any} found @param {any[]} turning */
function curve(found, turning) {
  const words = page.get("vocabulary"), last = Math.max(2, page.get("last"));
  const path = found.moves.flatMap((/** @type {any} */ one) => [[one.move, one.before], [one.move, one.after]]);
  const points = turning.map((one) =>
    ({ x: one.move, y: one.after, move: one.move, href: page.addressOf(one.move, page.get("view")), said: `${t("move")} ${one.move}: ${change(one)}` }));
  return lines({ title: t("analysis_curve", { seat: words.name(found.first) }), about: "", least: 0, most: 1, from: 1, to: last, here: page.get("move"),
    heights: [1, 0.5, 0].map((share) => [share, percent(share)]), places: [[1, `${t("move")} 1`], [last, String(last)]],
    lines: [{ name: "", seat: words.place(found.first), path, points }] });
}

/** Luck and choices by seat, and what else there is to say of the sum. @param {any} found */
function sums(found) {
  const words = page.get("vocabulary");
  const rows = Object.keys(found.luck).map((seat) => h("tr", {},
    h("th", { scope: "row", class: `seat-name seat-${words.place(seat)}` }, words.name(seat)),
    h("td", {}, points(found.luck[seat])), h("td", {}, points(found.choices[seat]))));
  return h("div", {}, h("table", { class: "sums" },
    h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, t("analysis_luck")), h("th", { scope: "col" }, t("analysis_choices")))),
    h("tbody", {}, ...rows)), h("p", { class: "note" }, t("analysis_sum"),
    Math.abs(found.ending) < 0.0005 ? "" : ` ${t("analysis_ending", { ending: points(found.ending) })}`));
}

/** @param {HTMLElement[]} items */
function list(items) {
  return h("ul", { class: "analysed" }, ...items.map((item) => h("li", {}, item)));
}

/** An answer in words; it may be that nothing was picked. @param {any} answer */
function inWords(answer) {
  return answer.said || t("analysis_nothing");
}

/** A link to a move, with what was answered there. @param {any} one @param {...string} said */
function link(one, ...said) {
  const words = page.get("vocabulary");
  return h("span", {}, h("a", { href: page.addressOf(one.move, page.get("view")), "data-move": one.move }, `${t("move")} ${one.move}`),
    ` · ${words.name(one.seat)}: ${inWords(one)} · ${said.filter(Boolean).join(" · ")}`);
}

/** @param {any} one */
function turned(one) {
  return link(one, change(one), one.luck ? t("analysis_lucky", { luck: points(one.luck) }) : "", instead(one));
}

/** @param {any} one */
function cost(one) {
  return link(one, points(-one.loss), instead(one));
}

/** What the agent would have played, if that is something else. @param {any} one */
function instead({ picks, best, loss }) {
  if (!best.length || !loss || best[0].picks.join() === picks.join()) return "";
  return t("analysis_instead", { said: inWords(best[0]) });
}

/** The curve as a table. @param {any} found */
function numbers(found) {
  const words = page.get("vocabulary");
  return h("details", {}, h("summary", {}, t("chart_table")), h("table", {}, h("tbody", {}, ...found.moves.map((/** @type {any} */ one) =>
    h("tr", {}, h("td", {}, String(one.move)), h("td", {}, words.name(one.seat)), h("td", {}, percent(one.before)), h("td", {}, percent(one.after)))))));
}

/** Links and points lead to their moves without loading the page again; the curve shows where the reader is. @param {HTMLElement} box */
function follow(box) {
  on(box, "click", "[data-move]", (found, event) => {
    event.preventDefault();
    page.set({ move: Number(found.dataset.move), pushed: true });
  });
  page.on(["move"], ({ move }) => {
    for (const figure of box.querySelectorAll("figure")) moveHere(figure, move);
  });
}
