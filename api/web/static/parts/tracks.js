// @ts-check
/** How each track of the scene ran over the moves: a chart, and the same numbers as a table. */

import { lines, moveHere } from "../base/chart.js";
import { h, on } from "../base/dom.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";

/** Draw the charts into an element, and again whenever there are more moves. @param {HTMLElement} root */
export function show(root) {
  const box = h("div", { class: "charts" });
  root.append(box);
  const draw = () => box.replaceChildren(...tracks().map(([name, track]) => chart(name, track)));
  page.on(["positions", "last"], draw);
  page.on(["move"], ({ move }) => {
    for (const figure of box.querySelectorAll("figure")) moveHere(figure, move);
  });
  on(box, "click", "[data-move]", (point, event) => {
    event.preventDefault();
    page.set({ move: Number(point.dataset.move), pushed: true });
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

/** The ends of a track, and 0 between them. @param {any} track @returns {number[]} */
function heights({ least, most }) {
  return least < 0 && most > 0 ? [least, 0, most] : [least, most];
}

/** @param {string} name @param {any} track */
function chart(name, track) {
  const words = page.get("vocabulary"), last = page.get("last"), view = page.get("view");
  const marks = [...new Set(scenes().flatMap((scene) => Object.keys(scene.panels?.[name]?.at ?? {})))];
  const drawn = marks.map((mark) => {
    const all = points(name, mark), place = words.place(mark), label = words.field(mark);
    const path = all.flatMap(([move, n], i) => /** @type {[number, number][]} */ (i ? [[move, all[i - 1][1]], [move, n]] : [[move, n]]));
    if (all.length) path.push([last, all[all.length - 1][1]]);
    return { name: marks.length > 1 ? label : "", seat: place < 0 ? undefined : place, path, points: all.map(([move, n]) =>
      ({ x: move, y: n, move, href: page.addressOf(move, view), said: `${label}, ${t("move")} ${move}: ${n}` })) };
  });
  const figure = lines({ title: words.field(name), about: "", lines: drawn, least: track.least, most: track.most, from: 1, to: last, here: page.get("move"),
    heights: heights(track).map((n) => [n, String(n)]), places: [[1, `${t("move")} 1`], [last, String(last)]] });
  figure.dataset.track = name;
  figure.append(table(name, marks));
  return figure;
}

/** @param {string} name @param {string[]} marks */
function table(name, marks) {
  const words = page.get("vocabulary");
  const rows = marks.flatMap((mark) => points(name, mark).map(([move, n]) => h("tr", {}, h("td", {}, String(move)),
    h("td", {}, words.field(mark)), h("td", {}, String(n)))));
  return h("details", {}, h("summary", {}, t("chart_table")), h("table", {}, h("tbody", {}, ...rows)));
}
