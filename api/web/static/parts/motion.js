// @ts-check
/** Motion that explains a move: its dice fall, its cards fly. It shows what is recorded, holds nothing up, and can be switched off. */

import { byId, h, svg } from "../base/dom.js";
import { moving } from "../base/keys.js";
import * as page from "../base/page.js";

const FALL = 550, FLIGHT = 450; // milliseconds
const FEW = 3; // cards that change their place in a move that is still one step
const PIPS = /** @type {Record<number, [number, number][]>} */ ({
  1: [[2, 2]], 2: [[1, 1], [3, 3]], 3: [[1, 1], [2, 2], [3, 3]], 4: [[1, 1], [1, 3], [3, 1], [3, 3]],
  5: [[1, 1], [1, 3], [2, 2], [3, 1], [3, 3]], 6: [[1, 1], [1, 2], [1, 3], [3, 1], [3, 2], [3, 3]],
});
const tray = h("div", { class: "dice", "aria-hidden": "true" });
/** @type {number} the move on show */
let shown = 0;
/** @type {Map<string, string>} the panel in which each card lies that the view shows */
let lying = new Map();

/** Accompany moves from now on. */
export function mount() {
  const area = byId("board-area");
  (area.hidden ? /** @type {HTMLElement} */ (document.querySelector(".heading")) : area).append(tray);
  const { move, scene } = page.all();
  [shown, lying] = [move, placesOf(scene)];
  roll(page.get("positions")?.at(move), false);
  page.on(["scene", "move"], step);
}

/** A step to the next move is accompanied; a jump only shows where it led. @param {Readonly<Record<string, any>>} state */
function step({ scene, move, positions }) {
  if (!scene || positions?.scene(move) !== scene) return; // a position that is only peeked at, or not there yet
  const now = placesOf(scene), before = lying, isStep = move === shown + 1;
  if (move !== shown) roll(positions.at(move), isStep && moving());
  [shown, lying] = [move, now];
  if (!isStep || !moving()) return;
  const moved = [...now].filter(([id, panel]) => before.get(id) !== panel);
  if (moved.length <= FEW) for (const [id, panel] of moved) fly(id, before.get(id), panel);
}

/** @param {any} scene @returns {Map<string, string>} */
function placesOf(scene) {
  const found = new Map();
  for (const [name, { cards }] of Object.entries(/** @type {Record<string, any>} */ (scene?.panels ?? {}))) {
    for (const id of Object.keys(cards ?? {})) found.set(id, name);
  }
  return found;
}

/** Show the dice of a move, as they were recorded. @param {any} told @param {boolean} falling */
function roll(told, falling) {
  const dice = (told?.dice ?? []).map(die);
  tray.replaceChildren(...dice);
  if (falling) dice.forEach(fall);
}

/** @param {number} face */
function die(face) {
  const pips = PIPS[face].map(([x, y]) => svg("circle", { cx: x * 11, cy: y * 11, r: 4.2 }));
  return svg("svg", { class: "die", "data-face": face, viewBox: "0 0 44 44" },
    svg("rect", { x: 1, y: 1, width: 42, height: 42, rx: 9 }), svg("g", { class: "pips" }, ...pips));
}

/** It turns as it falls; its face is seen when it lies. @param {SVGElement} one @param {number} nth */
function fall(one, nth) {
  const timing = { duration: FALL, delay: nth * 90, fill: /** @type {FillMode} */ ("backwards") };
  one.animate([
    { transform: `translate(${70 + 20 * nth}px, -90px) rotate(300deg)`, opacity: 0, easing: "ease-in" },
    { transform: "translate(14px, 0) rotate(40deg)", opacity: 1, offset: 0.6, easing: "ease-out" },
    { transform: "translate(6px, -14px) rotate(14deg)", offset: 0.78, easing: "ease-in" },
    { transform: "none" },
  ], timing);
  one.lastElementChild?.animate([{ opacity: 0 }, { opacity: 0, offset: 0.6 }, { opacity: 1 }], timing);
}

/** A card flies from one panel to another; one that lay face down turns where it lies now. @param {string} id @param {string | undefined} from @param {string} to */
function fly(id, from, to) {
  const end = placeOf(to, id);
  if (!end) return;
  const start = (from !== undefined && placeOf(from)) || end;
  const words = page.get("vocabulary"), { value, seat } = words.cards[id] ?? {}, side = words.place(seat);
  const card = h("div", { class: `card flying ${side < 0 ? "" : `seat-${side}`}`, "aria-hidden": "true" },
    value === undefined ? null : h("span", { class: "value" }, String(value)), h("span", { class: "card-name" }, words.name(id)));
  const at = (/** @type {[number, number]} */ [x, y]) => `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  const [before, after] = start === end ? [" rotateY(90deg)", " rotateY(0deg)"] : [" scale(1)", " scale(.9)"];
  document.body.append(card);
  const flight = card.animate([
    { transform: at(start) + before, opacity: 1 }, { transform: at(end) + after, opacity: 1, offset: 0.8 }, { transform: at(end) + after, opacity: 0 },
  ], { duration: FLIGHT, easing: "ease-in-out", fill: "both" });
  const gone = () => card.remove();
  flight.finished.then(gone, gone);
}

/** Where a card of a panel is on the screen; null if the panel is not in sight. @param {string} panel @param {string} [id] @returns {[number, number] | null} */
function placeOf(panel, id) {
  const section = document.querySelector(`#panels [data-panel="${CSS.escape(panel)}"]`);
  const card = id && section?.querySelector(`[data-id="${CSS.escape(id)}"]`);
  const found = card && card.checkVisibility() ? card : section;
  if (!found?.checkVisibility()) return null;
  const { left, top } = found.getBoundingClientRect();
  return [left, top];
}
