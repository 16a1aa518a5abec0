// @ts-check
/** Charts: how each track of the scene ran over the moves, and the same numbers as a table. */

import { h, svg } from "../base/dom.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";

const WIDE = 600, HIGH = 100;

/** Draw the charts into an element, and again whenever there are more moves. @param {HTMLElement} root */
export function show(root) {
  const box = h("div", { class: "charts" });
  root.append(box);
  const draw = () => box.replaceChildren(...tracks().map(([name, track]) => chart(name, track)));
  page.on(["positions", "last"], draw);
  page.on(["move"], ({ move, last }) => {
    for (const line of box.querySelectorAll(".here")) place(line, move, last);
  });
  draw();
}

/** The tracks of any scene of the match, by name. @returns {[string, any][]} */
function tracks() {
  const found = new Map();
  for (const scene of scenes()) {
    for (const [name, panel] of Object.entries(scene.panels ?? {})) if (panel.kind === "track" && !found.has(name)) found.set(name, panel);
  }
  return [...found];
}

/** The scenes after each move that the reader may see. @returns {any[]} */
function scenes() {
  return page.get("positions").scenes.slice(1, page.get("last") + 1);
}

/**
 * The moves at which a mark changed, with its place after each.
 * @param {string} name
 * @param {string} mark
 * @returns {[number, number][]}
 */
export function points(name, mark) {
  /** @type {[number, number][]} */
  const found = [];
  scenes().forEach((scene, i) => {
    const at = scene.panels?.[name]?.at?.[mark];
    if (at !== undefined && found.at(-1)?.[1] !== at) found.push([i + 1, at]);
  });
  return found;
}

/** @param {string} name @param {any} track */
function chart(name, track) {
  const words = page.get("vocabulary"), last = page.get("last");
  const marks = [...new Set(scenes().flatMap((scene) => Object.keys(scene.panels?.[name]?.at ?? {})))];
  const x = (/** @type {number} */ move) => (WIDE * (move - 1)) / Math.max(1, last - 1);
  const y = (/** @type {number} */ n) => HIGH - (HIGH * (Math.min(Math.max(n, track.least), track.most) - track.least)) / (track.most - track.least || 1);
  const lines = marks.map((mark) => {
    const all = points(name, mark), seat = words.place(mark);
    const path = all.flatMap(([move, n], i) => (i ? [`${x(move)},${y(all[i - 1][1])}`, `${x(move)},${y(n)}`] : [`${x(move)},${y(n)}`]));
    if (all.length) path.push(`${x(last)},${y(all[all.length - 1][1])}`);
    return svg("g", { class: `seat-${seat}` }, svg("polyline", { points: path.join(" ") }), ...all.map(([move, n]) =>
      svg("circle", { cx: x(move), cy: y(n), r: 3.5, "data-move": move }, svg("title", {}, `${t("move")} ${move}: ${n}`))));
  });
  const here = svg("line", { class: "here", y1: 0, y2: HIGH });
  place(here, page.get("move"), last);
  const picture = svg("svg", { viewBox: `-30 -6 ${WIDE + 40} ${HIGH + 12}`, role: "img", "aria-label": words.field(name) },
    svg("line", { class: "zero", x1: 0, x2: WIDE, y1: y(Math.max(0, track.least)), y2: y(Math.max(0, track.least)) }), here, ...lines,
    svg("text", { x: -26, y: 8 }, String(track.most)), svg("text", { x: -26, y: HIGH }, String(track.least)));
  picture.addEventListener("click", (event) => {
    const point = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-move]"));
    if (point) page.set({ move: Number(point.dataset.move), pushed: true });
  });
  return h("section", { class: "chart", "data-track": name }, h("h3", {}, words.field(name)), picture, table(name, marks));
}

/** @param {Element} line @param {number} move @param {number} last */
function place(line, move, last) {
  const at = String((WIDE * (move - 1)) / Math.max(1, last - 1));
  line.setAttribute("x1", at);
  line.setAttribute("x2", at);
}

/** @param {string} name @param {string[]} marks */
function table(name, marks) {
  const words = page.get("vocabulary");
  const rows = marks.flatMap((mark) => points(name, mark).map(([move, n]) => h("tr", {}, h("td", {}, String(move)),
    h("td", {}, words.field(mark)), h("td", {}, String(n)))));
  return h("details", {}, h("summary", {}, t("chart_table")), h("table", {}, h("tbody", {}, ...rows)));
}
