// @ts-check
/** Charts: bars with intervals, and lines with bands. Each mark is a link, and the arrow keys move from mark to mark. */

import { h, svg } from "./dom.js";
import { t } from "./text.js";

/**
 * What a bar is about, its value (null: none) with the ends of its interval, and how many cases it rests on.
 * `count` stands in a column of its own; `seat` is the place of a seat; `few`: it rests on few cases.
 * @typedef {{label: string, value: number | null, low?: number, high?: number, n?: number, count?: number, seat?: number,
 *   few?: boolean, href?: string}} Bar
 */
/**
 * `digits` after the point; null: the values are shares. `average` is one more value, with its name.
 * @typedef {{title: string, about: string, bars: Bar[], digits: number | null, heading: string, counting?: string,
 *   average?: {value: number, name: string}}} Bars
 */
/**
 * A place on a line, in words for a link; `low` and `high` are the ends of its band.
 * @typedef {{x: number, y: number, low?: number, high?: number, said: string, href: string, few?: boolean, move?: number}} Point
 */
/**
 * A line; `path`: the corners of the line, if it does not go straight from point to point.
 * @typedef {{name: string, seat?: number, points: Point[], path?: [number, number][]}} Line
 */
/**
 * `heights` and `places` are labelled values of both axes, a place with its number of cases, too; `from` and `to` are the
 * ends of the horizontal axis. `here`: where the reader is.
 * @typedef {{title: string, about: string, lines: Line[], least: number, most: number, heights: [number, string][],
 *   from: number, to: number, places: [number, string, (number | undefined)?][], here?: number}} Lines
 */

const HIGH = 160, GAP = 15, NAME = 16; // pixels, pixels between two names, characters of a name beside its line
const TARGET = 12, MARK = 4.5, MANY = 30; // pixels: the radius that takes a click, and that is seen; with many points half of both
/** @type {Map<number, Intl.NumberFormat>} */
const formats = new Map();
let made = 0;

/** A number as the tables of the server show it. @param {number} value @param {number | null} digits null: it is a share */
export function shown(value, digits) {
  const places = digits ?? 0;
  const format = formats.get(places) ?? new Intl.NumberFormat("en", { useGrouping: false, roundingMode: "halfEven",
    minimumFractionDigits: places, maximumFractionDigits: places });
  formats.set(places, format);
  return digits === null ? `${format.format(100 * value)} %` : format.format(value);
}

/** Round numbers, three to six of them, around all values between two. @param {number} least @param {number} most */
export function around(least, most) {
  const wide = most - least || 1, power = 10 ** Math.floor(Math.log10(wide / 2));
  const step = power * ([1, 2, 5, 10].find((one) => wide / (one * power) <= 4) ?? 10);
  const first = Math.floor(least / step), last = Math.max(first + 1, Math.ceil(most / step));
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** How large a share is, as a small bar. @param {number} share */
export function amount(share) {
  return svg("svg", { class: "amount", "aria-hidden": "true" }, svg("rect", { width: `${100 * share}%`, height: "100%" }));
}

/** A share with its interval, beside its numbers. @param {number} value @param {number} low @param {number} high */
export function interval(value, low, high) {
  return svg("svg", { class: "interval", "aria-hidden": "true" }, ...ranged(100 * value, 100 * low, 100 * high));
}

/** @param {number} value @param {number} [low] @param {number} [high] all in percent of the width */
function ranged(value, low, high) {
  const ends = low === undefined || high === undefined ? []
    : [svg("line", { class: "between", x1: `${low}%`, x2: `${high}%`, y1: "50%", y2: "50%" })];
  return [svg("rect", { class: "whole", width: "100%", height: "100%" }), svg("rect", { class: "value", width: `${value}%`, height: "100%" }), ...ends];
}

/** A mark has a shape beside its colour: a square is the second seat. @param {number | undefined} seat @param {string} x @param {string} y @param {number} [radius] */
function mark(seat, x, y, radius = MARK) {
  const size = radius * 0.9;
  return seat === 1 ? svg("rect", { class: "mark", x, y, width: 2 * size, height: 2 * size, transform: `translate(${-size} ${-size})` })
    : svg("circle", { class: "mark", cx: x, cy: y, r: radius });
}

/** The class of what belongs to a seat. @param {string} name @param {number | undefined} seat */
function of(name, seat) {
  return seat === undefined ? name : `${name} seat-${seat}`;
}

/** A chart with its title, what it shows, and how keys move in it. @param {string} kind @param {string} title @param {string} about @param {Element} picture */
function framed(kind, title, about, picture) {
  const id = `chart-${++made}`, isReached = picture.querySelector("a");
  picture.setAttribute("aria-labelledby", `${id}-title`);
  picture.setAttribute("aria-describedby", isReached ? `${id}-about ${id}-keys` : `${id}-about`);
  const figure = h("figure", { class: `chart ${kind}`, "aria-labelledby": `${id}-title` },
    h("figcaption", {}, h("span", { class: "chart-title", id: `${id}-title` }, title), " ", h("span", { class: "chart-about", id: `${id}-about` }, about)),
    picture, isReached && h("p", { class: "chart-keys", id: `${id}-keys` }, t("chart_keys")));
  rove(figure);
  return figure;
}

/** Let one mark of a chart be reached by Tab, and the others from it by the arrow keys. @param {HTMLElement} figure */
function rove(figure) {
  const marks = /** @type {(HTMLElement | SVGElement)[]} */ ([...figure.querySelectorAll("a[href]")]);
  marks.forEach((one, i) => one.setAttribute("tabindex", i ? "-1" : "0"));
  figure.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const at = marks.findIndex((one) => one === document.activeElement), last = marks.length - 1;
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    marks[Math.min(Math.max(to, 0), last)].focus();
  });
  figure.addEventListener("focusin", ({ target }) => {
    for (const one of marks) one.setAttribute("tabindex", one === target ? "0" : "-1");
  });
}

// Bars

/** A chart of bars, the first on top. @param {Bars} chart */
export function bars({ title, about, bars, digits, heading, counting, average }) {
  const values = bars.flatMap(({ value, high }) => [value ?? 0, high ?? 0]);
  const ticks = digits === null && Math.max(...values) > 0.5 ? [0, 0.5, 1] : around(0, Math.max(...values)), most = ticks[ticks.length - 1];
  const x = (/** @type {number} */ value) => (100 * value) / most;
  const counted = Math.max(1, ...bars.map(({ count }) => count ?? 0));
  const line = average && svg("line", { class: "average", x1: `${x(average.value)}%`, x2: `${x(average.value)}%`, y2: "100%" });
  const rows = bars.map((one) => {
    const plot = svg("svg", { class: "bar-plot", "aria-hidden": "true" });
    if (one.value !== null) {
      plot.append(...ranged(x(one.value), one.low === undefined ? undefined : x(one.low), one.high === undefined ? undefined : x(one.high)),
        mark(one.seat, `${x(one.value)}%`, "50%"));
    }
    if (line) plot.append(line.cloneNode());
    const parts = [h("span", { class: "bar-name" }, one.label),
      counting && h("span", { class: "bar-count" }, amount((one.count ?? 0) / counted), String(one.count ?? "")), plot,
      h("span", { class: "bar-value" }, ...inNumbers(one, digits))];
    const row = one.href ? h("a", { href: one.href, "aria-label": inWords(one, digits, heading, counting) }, ...parts) : h("span", { class: "bar-row" }, ...parts);
    return h("li", { class: `${of("", one.seat)}${one.few ? " few" : ""}` }, row);
  });
  const axis = h("div", { class: "bar-row bar-axis", "aria-hidden": "true" }, h("span", { class: "bar-name" }), counting && h("span", { class: "bar-count" }, counting),
    svg("svg", { class: "bar-plot" }, ...ticks.map((tick) => svg("text", { x: `${x(tick)}%`, y: 12 }, shown(tick, digits === null ? null : tick % 1 ? 1 : 0)))),
    h("span", { class: "bar-value" }, heading));
  const list = h("ol", { role: "list" }, ...rows);
  const figure = framed(counting ? "bars counted" : "bars", title, about, list);
  list.before(axis);
  if (average) list.after(h("p", { class: "chart-average" }, `${average.name}: ${shown(average.value, digits)}`));
  return figure;
}

/** @param {Bar} bar @param {number | null} digits */
function inNumbers({ value, low, high, n }, digits) {
  if (value === null) return ["—"];
  const ends = low === undefined || high === undefined ? "" : `${shown(low, digits).replace(" %", "")}–${shown(high, digits)}`;
  return [h("strong", {}, shown(value, digits)), " ", h("span", { class: "hint" }, ends, n === undefined ? "" : `${ends && ", "}n = ${n}`)];
}

/** A bar in words, for those who do not see it. @param {Bar} bar @param {number | null} digits @param {string} heading @param {string} [counting] */
function inWords({ label, value, low, high, n, count }, digits, heading, counting) {
  const ends = low === undefined || high === undefined ? "" : ` (${t("chart_between", { low: shown(low, digits), high: shown(high, digits) })})`;
  const rate = value === null ? "" : `; ${heading}: ${shown(value, digits)}${ends}`;
  return `${label}${counting ? `; ${counting}: ${count}` : ""}${rate}${n === undefined ? "" : `, n = ${n}`}`;
}

// Lines

/** A chart of lines; each has its name at its end. @param {Lines} chart */
export function lines({ title, about, lines, least, most, heights, from, to, places, here }) {
  const x = (/** @type {number} */ at) => (100 * (at - from)) / (to - from || 1);
  const y = (/** @type {number} */ value) => HIGH * (1 - (Math.min(Math.max(value, least), most) - least) / (most - least || 1));
  const corners = (/** @type {[number, number][]} */ path) => path.map(([at, value]) => `${x(at)},${y(value)}`).join(" ");
  const drawn = svg("svg", { viewBox: `0 0 100 ${HIGH}`, preserveAspectRatio: "none", width: "100%", height: HIGH, class: "drawn-lines" }, ...lines.flatMap((line) => {
    const path = line.path ?? line.points.map((point) => /** @type {[number, number]} */ ([point.x, point.y])), band = banded(line.points);
    return [...(band.length ? [svg("polygon", { class: of("band", line.seat), points: corners(band) })] : []),
      svg("polyline", { class: of("line", line.seat), points: corners(path) })];
  }));
  const axes = svg("g", { class: "axes", "aria-hidden": "true" }, ...heights.flatMap(([value, text]) => [
    svg("line", { x1: 0, x2: "100%", y1: y(value), y2: y(value) }), svg("text", { x: 0, dx: -6, y: y(value) + 4, class: "height" }, text)]),
    ...places.flatMap(([at, text, n]) => [svg("text", { x: `${x(at)}%`, y: HIGH + 18 }, text), ...(n === undefined ? [] : [svg("text", { x: `${x(at)}%`, y: HIGH + 34, class: "cases" }, String(n))])]));
  const hasCases = places.some(([, , n]) => n !== undefined);
  if (hasCases) axes.append(svg("text", { x: 0, dx: -24, y: HIGH + 34, class: "height cases" }, "n"));
  const part = Math.max(...lines.map(({ points }) => points.length)) > MANY ? 0.6 : 1;
  const ends = named(lines, y), isReached = lines.some(({ points }) => points.length);
  const picture = svg("svg", { class: "plot", role: isReached ? "group" : "img", height: HIGH }, axes, ...(here === undefined ? [] : [svg("line", { class: "here", y1: 0, y2: HIGH })]), drawn, ...ends,
    ...lines.flatMap(({ points, seat }) => points.map((point) => svg("a", { href: point.href, class: `${of("point", seat)}${point.few ? " few" : ""}`, "data-move": point.move, "aria-label": point.said },
      svg("title", {}, point.said), svg("circle", { class: "target", cx: `${x(point.x)}%`, cy: y(point.y), r: part * TARGET }), mark(seat, `${x(point.x)}%`, String(y(point.y)), part * MARK)))));
  const figure = framed(hasCases ? "lines with-cases" : "lines", title, about, picture);
  const longest = Math.max(0, ...ends.map((one) => one.textContent?.length ?? 0));
  figure.style.setProperty("--names", `${longest}ch`);
  Object.assign(figure.dataset, { from, to });
  if (here !== undefined) moveHere(figure, here);
  return figure;
}

/** The outline of the band of a line; none if its points have no interval. @param {Point[]} points @returns {[number, number][]} */
function banded(points) {
  if (points.some(({ low, high }) => low === undefined || high === undefined)) return [];
  return [...points.map((one) => /** @type {[number, number]} */ ([one.x, one.high])), ...points.toReversed().map((one) => /** @type {[number, number]} */ ([one.x, one.low]))];
}

/** The names of the lines at their ends, apart from each other. @param {Line[]} lines @param {(value: number) => number} y */
function named(lines, y) {
  const ends = lines.filter(({ name, points, path }) => name && (path ?? points).length).map(({ name, seat, points, path }) => {
    const corner = path?.at(-1), point = points.at(-1);
    return { name, seat, high: y(corner ? corner[1] : point?.y ?? 0) };
  }).sort((one, other) => one.high - other.high);
  ends.forEach((one, i) => { if (i) one.high = Math.max(one.high, ends[i - 1].high + GAP); });
  const over = Math.max(0, (ends.at(-1)?.high ?? 0) - HIGH);
  return ends.map(({ name, seat, high }) => svg("text", { class: of("line-name", seat), x: "100%", dx: 10, y: high - over + 4, "data-name": true },
    name.length > NAME ? `${name.slice(0, NAME - 1)}…` : name));
}

/** Show where the reader is. @param {HTMLElement} figure a chart of lines @param {number} at a value of the horizontal axis */
export function moveHere(figure, at) {
  const from = Number(figure.dataset.from), share = (100 * (at - from)) / (Number(figure.dataset.to) - from || 1);
  for (const line of figure.querySelectorAll(".here")) {
    line.setAttribute("x1", `${share}%`);
    line.setAttribute("x2", `${share}%`);
  }
}
