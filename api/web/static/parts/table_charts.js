// @ts-check
/** Charts of the tables of a page: a chart holds no number that its table does not have, and keeps its order. */

import { amount, around, bars, interval, lines, shown } from "../base/chart.js";
import { h } from "../base/dom.js";
import { t } from "../base/text.js";

const MOST_BARS = 24, MOST_CASES = 12; // bars of a table; places of a line that have their number of cases below them
/** @typedef {import("../base/chart.js").Bar} Bar */

/** Draw the tables of the page that say `data-chart`; those with the same `data-group` have one chart. */
export function drawTables() {
  const groups = /** @type {Map<string, HTMLTableElement[]>} */ (new Map());
  for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("table[data-chart]"))) {
    const group = table.dataset.group ?? `table ${groups.size}`;
    groups.set(group, [...(groups.get(group) ?? []), table]);
  }
  for (const [group, tables] of groups) {
    const place = h("div", { class: "chart-place" }), wanted = document.querySelector(`[data-charts="${CSS.escape(group)}"]`);
    if (wanted) wanted.append(place);
    else (tables[0].closest(".scroller") ?? tables[0]).before(place);
    const draw = () => place.replaceChildren(...drawn(tables));
    for (const table of tables) if (table.dataset.chart !== "path") table.addEventListener("sorted", draw);
    draw();
  }
}

/** Draw the rates that stand alone, and the shares of a whole. */
export function drawRates() {
  for (const rate of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".rate[data-value]"))) {
    const { value, low, high } = rate.dataset;
    if (value && !rate.closest("[data-chart]")) rate.prepend(interval(Number(value), Number(low), Number(high)), " ");
  }
  for (const whole of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-share]"))) {
    whole.replaceChildren(amount(Number(whole.dataset.share)));
  }
}

/** The chart of some tables; none if no row has a value. @param {HTMLTableElement[]} tables @returns {HTMLElement[]} */
function drawn(tables) {
  const { chart, title = "", about = "", digits, heading = "", counting, average, averageName = "" } = tables[0].dataset;
  const places = digits === undefined ? null : Number(digits), all = tables.map((table) => ({ series: table.dataset.series ?? "", rows: rows(table) }));
  if (chart === "path") return path(all, title, about, heading, places);
  const found = all.flatMap(({ series, rows }) => rows.map((row) => ({ ...row, label: [series, row.label].filter(Boolean).join(" · ") })));
  if (!found.some(({ value }) => value !== null)) return [];
  const cut = found.length > MOST_BARS ? ` ${t("chart_cut", { shown: MOST_BARS, all: found.length })}` : "";
  return [bars({ title, about: about + cut, bars: found.slice(0, MOST_BARS), digits: places, heading, counting,
    average: average ? { value: Number(average), name: averageName } : undefined })];
}

/** The rows of a table as bars. @param {HTMLTableElement} table @returns {Bar[]} */
function rows(table) {
  const number = (/** @type {string | undefined} */ text) => (text ? Number(text) : undefined);
  return [...table.tBodies[0].rows].map((row) => {
    const held = /** @type {HTMLElement | null} */ (row.querySelector("[data-value]"))?.dataset ?? {}, label = row.querySelector("[data-label]");
    const seat = label?.className.match(/\bseat-(\d)/)?.[1], link = /** @type {HTMLAnchorElement | null} */ (row.querySelector("a[data-link]"));
    return {
      label: label?.textContent?.trim() || "—", value: number(held.value) ?? null, low: number(held.low), high: number(held.high), n: number(held.n),
      count: number(/** @type {HTMLElement | null} */ (row.querySelector("[data-count]"))?.dataset.count), seat: number(seat),
      few: row.matches(".few") || row.querySelector(".few") !== null, href: link?.getAttribute("href") ?? undefined,
    };
  });
}

/**
 * A chart with a line for each series; the labels of its rows are numbers, such as turns, and their places.
 * @param {{series: string, rows: Bar[]}[]} all
 * @param {string} title
 * @param {string} about
 * @param {string} heading what the values are
 * @param {number | null} digits
 */
function path(all, title, about, heading, digits) {
  const found = all.map(({ series, rows }) => ({ series, rows: rows.map((row) => ({ ...row, x: Number(row.label) })) }));
  const rows = found.flatMap((one) => one.rows).sort((one, other) => one.x - other.x);
  const values = rows.flatMap(({ value, low, high }) => [value, low, high].filter((one) => typeof one === "number"));
  const at = [...new Map(rows.map((row) => [row.x, row])).values()], last = at.length - 1, step = Math.ceil(at.length / MOST_CASES);
  if (!values.length || last < 1 || at.some(({ x }) => Number.isNaN(x))) return [];
  const heights = around(Math.min(...values), Math.max(...values));
  return [lines({
    title, about, least: heights[0], most: heights[heights.length - 1], heights: heights.map((one) => [one, shown(one, one % 1 ? 1 : 0)]),
    from: at[0].x, to: at[last].x,
    places: at.filter((_, i) => i === last || (i % step === 0 && i + step <= last)).map(({ x, label, n }) => [x, label, all.length === 1 ? n : undefined]),
    lines: found.map(({ series, rows }, seat) => ({
      name: series, seat: found.length > 1 ? seat : undefined, points: rows.flatMap(({ x, label, value, low, high, n, href, few }) => {
        if (value === null || href === undefined) return [];
        const ends = low === undefined || high === undefined ? "" : ` (${t("chart_between", { low: shown(low, digits), high: shown(high, digits) })})`;
        const said = `${[series, label].filter(Boolean).join(", ")}; ${heading}: ${shown(value, digits)}${ends}${n === undefined ? "" : `, n = ${n}`}`;
        return [{ x, y: value, low, high, href, few, said }];
      }),
    })),
  })];
}
