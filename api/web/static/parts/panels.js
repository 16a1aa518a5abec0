// @ts-check
/** The panels of a scene: eight kinds, each drawn as a whole and only when it changed. */

import { byId, h, keyed, on } from "../base/dom.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";

const root = byId("panels"), statusLine = byId("status");
/** Where panels stand: what is played on, tracks and short facts, cards, and last what is read more seldom. */
const places = { lanes: byId("lanes"), tracks: byId("tracks"), cards: byId("cards"), rest: byId("rest") };
const CELLS = 12; // steps, up to which a track is drawn as cells
const NEAR = 15; // per cent of a bar, within which a mark covers the number at its end
/** @type {Set<string>} panels that the reader unfolded */
const unfolded = new Set();

/** Draw the panels from now on. */
export function mount() {
  page.on(["scene", "before"], ({ scene, before }) => show(scene, before));
  page.on(["inWords"], ({ scene, before }) => (last.clear(), scene && show(scene, before)));
  page.on(["scene", "inWords", "ring"], ({ ring }) => flag("ringed", ring ?? []));
  page.on(["scene", "inWords", "pickable"], ({ pickable }) => flag("pickable", pickable ?? []));
  page.on(["scene", "inWords", "picked"], ({ picked }) => flag("picked", picked ?? []));
  for (const place of [root, statusLine]) {
    on(place, "click", "[data-id]", (found) => page.set({ clicked: { id: found.dataset.id } }));
  }
  on(root, "toggle", "details", (found) => unfolded[found.open ? "add" : "delete"](found.dataset.panel));
  root.addEventListener("toggle", (event) => {
    const found = /** @type {HTMLDetailsElement} */ (event.target);
    unfolded[found.open ? "add" : "delete"](found.dataset.panel ?? "");
  }, true);
}

/** @param {string} name @param {Iterable<string>} ids */
function flag(name, ids) {
  const wanted = new Set(ids);
  for (const element of document.querySelectorAll("#panels [data-id], #status [data-id]")) {
    element.classList.toggle(name, wanted.has(/** @type {HTMLElement} */ (element).dataset.id ?? ""));
  }
}

/** @param {any} scene @param {any} before */
function show(scene, before) {
  const panels = scene.panels ?? {}, names = inOrder(Object.keys(panels), scene.order ?? []);
  const items = names.filter((name) => name !== "status").map((name) => ({ name, panel: panels[name], old: before?.panels?.[name] }));
  const all = items.map(kept);
  for (const [place, element] of Object.entries(places)) {
    const here = all.filter(({ panel }) => placeOf(panel) === place);
    keyed(element, here, ({ name }) => name, ({ name, panel, old }) => section(name, panel, before ? old : undefined));
  }
  const status = panels.status;
  if (status) statusLine.replaceChildren(values(status.items, before?.panels?.status?.items), mayBe("status", status) ?? "");
}

/** @param {any} panel @returns {string} */
function placeOf(panel) {
  if (panel.kind === "rows" || panel.folded) return "rest";
  if (panel.kind === "lanes" || panel.kind === "gauge") return "lanes";
  return panel.kind === "cards" ? "cards" : "tracks";
}

/** @type {Map<string, {name: string, panel: any, old: any}>} */
const last = new Map();

/** The item of the last time, where nothing about it changed: then its element stays. @param {{name: string, panel: any, old: any}} item */
function kept(item) {
  const known = last.get(item.name);
  if (known && known.panel === item.panel && known.old === item.old) return known;
  last.set(item.name, item);
  return item;
}

/** Panels follow one another as the scene says, by their ids up to the first dot. @param {string[]} names @param {string[]} order */
function inOrder(names, order) {
  const place = (/** @type {string} */ name) => order.indexOf(name.split(".")[0]);
  return names.sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1));
}

/** @param {string} name @param {any} panel @param {any} old */
function section(name, panel, old) {
  const title = page.get("vocabulary").field(name);
  const seat = page.get("vocabulary").place(panel.seat);
  const backs = panel.kind === "cards" && !Object.keys(panel.cards ?? {}).length ? " backs" : "";
  const about = { class: `panel kind-${panel.kind}${backs}${seat < 0 ? "" : ` seat-${seat}`}`, "data-panel": name };
  const content = KINDS[panel.kind](panel, old, title), more = mayBe(name, panel);
  if (panel.kind !== "cards" || !panel.folded) return h("section", about, h("h3", {}, title, count(panel)), content, more);
  const open = unfolded.has(name);
  return h("details", { ...about, open }, h("summary", {}, title, count(panel)), content, more);
}

const HIDDEN = "?"; // the value of what a view does not show

/** Offer a list of what may be hidden in a panel, if anything is; another part fills it. @param {string} name @param {any} panel */
function mayBe(name, { hidden, items, rows }) {
  const values = [...Object.values(items ?? {}), ...Object.values(rows ?? {}).flatMap((row) => Object.values(row))];
  if (!page.get("listing") || !(hidden || values.includes(HIDDEN))) return null;
  return h("details", { class: "may-be", "data-of": name }, h("summary", {}, t("may_be")));
}

/** @param {any} panel */
function count(panel) {
  if (panel.kind !== "cards") return null;
  const cards = Object.keys(panel.cards ?? {}).length + (panel.hidden ?? 0);
  return h("span", { class: "count" }, apart(": "), String(cards));
}

/** What stands between two texts for those who hear the page, or read it without its style. @param {string} text */
function apart(text) {
  return h("span", { class: "visually-hidden" }, text);
}

/** A text that only shows again what stands in words beside it. @param {string} text @param {string} kind its class */
function drawn(text, kind) {
  return h("span", { class: `drawn ${kind}`, "data-text": text, "aria-hidden": "true" });
}

/** A line of names and values. @param {Record<string, any>} items @param {Record<string, any>} [old] */
function values(items, old) {
  const words = page.get("vocabulary");
  return h("dl", { class: "values" }, ...Object.entries(items).map(([name, value]) =>
    h("div", { class: old && old[name] !== value ? "changed" : "" },
      h("dt", named(name), words.field(name)), h("dd", named(value), shown(value, old?.[name], old)))));
}

/** The attributes of an element that shows an id. @param {string | number} value */
function named(value) {
  const words = page.get("vocabulary");
  if (typeof value !== "string") return {};
  const seat = words.place(value);
  return seat < 0 ? (value in words.names ? { "data-id": value } : {}) : { class: `seat-name seat-${seat}` };
}

/** A value in words; with what it was, where that is asked for. @param {any} value @param {any} before @param {any} old */
function shown(value, before, old) {
  const words = page.get("vocabulary");
  if (!old || before === value) return words.name(value);
  return t("now", { before: before === undefined ? "–" : words.name(before), after: words.name(value) });
}

/** @type {Record<string, (panel: any, old: any, title: string) => Element>} */
const KINDS = {
  status: (panel, old) => values(panel.items, old?.items),
  track,
  pair,
  cards,
  rows,
  lanes,
  gauge,
  note: (panel) => h("p", {}, page.get("vocabulary").name(panel.text)),
};

/** A track with its marks: cells where it is short, else a bar. @param {any} panel @param {any} old */
function track(panel, old) {
  const words = page.get("vocabulary"), { at, notes = {} } = panel, marks = Object.entries(at);
  const says = marks.flatMap(([mark, n], nth) => [nth ? ", " : "",
    marks.length > 1 ? `${words.field(mark)} ` : apart(`${words.field(mark)} `), was(old?.at?.[mark], n)]);
  const noted = [...new Set(marks.flatMap(([, n]) => [n, n + 1]))].filter((n) => notes[n] !== undefined);
  const more = noted.map((n) => `${n}: ${words.name(notes[n])}`).join(" · ");
  return h("div", { class: "track-box" }, panel.most - panel.least <= CELLS ? cells(panel, old) : bar(panel, old),
    h("p", { class: "track-text", title: more || false }, h("span", { class: old ? "" : "visually-hidden" }, ...says,
      apart(`, ${t("from_to", { least: panel.least, most: panel.most })}`), more ? " · " : ""), more));
}

/** @param {any} panel @param {any} old */
function cells({ least, most, at }, old) {
  const words = page.get("vocabulary"), marks = Object.entries(at);
  const line = h("div", { class: "track-cells", "aria-hidden": "true" });
  for (let n = least; n <= most; n++) {
    const here = marks.filter(([, place]) => place === n), seats = here.filter(([mark]) => words.place(mark) >= 0);
    const left = marks.some(([mark]) => old?.at?.[mark] === n && at[mark] !== n);
    const chips = seats.map(([mark]) => drawn(words.letter(mark), `mark seat-${words.place(mark)}`));
    line.append(h("span", { class: `drawn cell${here.length > seats.length ? " here" : ""}${left ? " ghost" : ""}`, "data-text": n }, ...chips));
  }
  return line;
}

/** @param {any} panel @param {any} old */
function bar({ least, most, at }, old) {
  const words = page.get("vocabulary"), marks = Object.entries(at);
  const part = (/** @type {number} */ n) => (100 * (Math.min(Math.max(n, least), most) - least)) / (most - least);
  const line = h("div", { class: "track-bar", "aria-hidden": "true" }, placed(h("span", { class: "zero" }), part(0)));
  const free = (/** @type {number} */ n) => marks.every(([, at]) => Math.abs(part(at) - part(n)) > NEAR);
  if (free(least)) line.append(drawn(String(least), "edge"));
  if (free(most)) line.append(drawn(String(most), "edge last"));
  marks.forEach(([mark, n], row) => {
    const seat = words.place(mark), before = old?.at?.[mark];
    if (before !== undefined && before !== n) line.append(placed(h("span", { class: "mark ghost" }), part(before)));
    const kind = `mark ${seat < 0 ? "" : `seat-${seat}`} row-${marks.length > 1 ? row : "only"}`;
    line.append(placed(drawn(seat < 0 ? String(n) : `${words.letter(mark)} ${n}`, kind), part(n)));
  });
  return line;
}

/** @param {any} before @param {any} value */
function was(before, value) {
  return before === undefined || before === value ? String(value) : t("now", { before, after: value });
}

/** An element whose place is in its style: at 0 its left edge is that of the bar, at 100 its right one. @param {HTMLElement} element @param {number} part per cent from the left */
function placed(element, part) {
  element.style.setProperty("--at", `${part}%`);
  return element;
}

/** Two numbers side by side. @param {any} panel @param {any} old */
function pair(panel, old) {
  const words = page.get("vocabulary");
  return h("dl", { class: "pair" }, ...Object.entries(panel.seats).map(([seat, n]) =>
    h("div", { class: `seat-${words.place(seat)}` }, h("dt", {}, words.name(seat)),
      h("dd", {}, was(old?.seats?.[seat], n), panel.most ? h("span", { class: "most" }, ` / ${panel.most}`) : null))));
}

/** Cards in their order, and backs. @param {any} panel @param {any} old */
function cards(panel, old) {
  const found = Object.entries(panel.cards ?? {}).sort(([one, a], [other, b]) => a - b || (one < other ? -1 : 1));
  const list = h("ul", { class: "cards" }, ...found.map(([id]) => card(id, old && !(id in (old.cards ?? {})))));
  if (old) for (const id of Object.keys(old.cards ?? {})) if (!(id in (panel.cards ?? {}))) list.append(card(id, false, true));
  if (panel.hidden) list.append(h("li", { class: "back" }, h("span", { class: "back-picture", "aria-hidden": "true" }), t("hidden", { count: panel.hidden })));
  return list;
}

/** A card: its number, whose event it is, its name; its text is shown on demand. @param {string} id @param {boolean} came @param {boolean} [gone] */
function card(id, came, gone = false) {
  const words = page.get("vocabulary"), about = words.cards[id] ?? {}, seat = words.place(about.seat);
  const classes = `card ${seat < 0 ? "" : `seat-${seat}`} ${came ? "came" : ""} ${gone ? "gone" : ""}`;
  return h("li", {}, h("button", { type: "button", class: classes, "data-id": id }, ...face(id)),
    page.get("inWords") && about.text ? h("p", { class: "card-words" }, about.text) : null);
}

/** What is printed on a card or a tile. @param {string} id */
function face(id) {
  const words = page.get("vocabulary"), { value, seat, kinds = [] } = words.cards[id] ?? {};
  const kind = kinds.map((/** @type {string} */ one) => words.name(one)).join(", ");
  return [value === undefined ? null : h("span", { class: "value" }, String(value), apart(" ")),
    h("span", { class: "card-name" }, words.name(id), words.place(seat) < 0 ? null : apart(` (${words.name(seat)})`)),
    kind ? h("span", { class: "card-kind" }, apart(", "), kind) : null];
}

/** A table. @param {any} panel @param {any} old @param {string} title */
function rows(panel, old, title) {
  const words = page.get("vocabulary");
  const cell = (/** @type {any} */ value, /** @type {any} */ before) => {
    const changed = old && before !== value;
    return h("td", { ...(value === undefined ? {} : named(value)), ...(changed ? { class: "changed" } : {}) },
      value === undefined && !changed ? "" : shown(value ?? "–", before, old));
  };
  return h("div", { class: "scroller", tabindex: "0", role: "group", "aria-label": title }, h("table", {},
    h("thead", {}, h("tr", {}, h("td", {}), ...panel.columns.map((/** @type {string} */ column) => {
      const seat = words.place(column);
      return h("th", { scope: "col", class: seat < 0 ? "" : `seat-name seat-${seat}` }, words.field(column));
    }))),
    h("tbody", {}, ...Object.entries(panel.rows).map(([id, row]) => h("tr", {},
      h("th", { scope: "row", ...named(id) }, words.field(id)),
      ...panel.columns.map((/** @type {string} */ column) => cell(row[column], old?.rows?.[id]?.[column])))))));
}

/** Tiles in lanes, with the numbers on each. @param {any} panel @param {any} old */
function lanes(panel, old) {
  const words = page.get("vocabulary");
  return h("div", { class: "lanes" }, ...panel.lanes.map((/** @type {string} */ lane) =>
    h("div", { class: "lane", "data-lane": lane }, h("h4", {}, words.field(lane)),
      h("ul", {}, ...Object.keys(panel.at).filter((id) => panel.at[id] === lane).map((id) => tile(id, panel, old))))));
}

/** @param {string} id @param {any} panel @param {any} old */
function tile(id, panel, old) {
  const words = page.get("vocabulary"), slots = panel.slots?.[id] ?? {};
  const moved = old && old.at?.[id] !== panel.at[id];
  return h("li", {}, h("button", { type: "button", class: `tile ${moved ? "came" : ""}`, "data-id": id },
    ...face(id),
    ...Object.entries(slots).map(([slot, value]) => {
      const seat = words.place(slot);
      const name = seat < 0 ? words.field(slot) : [drawn(words.letter(slot), "letter"), apart(words.name(slot))];
      const text = value === "yes" ? "" : ` ${was(old?.slots?.[id]?.[slot], words.name(value))}`;
      return h("span", { class: `slot seat-${seat}`, title: words.field(slot) }, apart(", "), ...[name].flat(), text);
    })));
}

/** A bar that fills up to its limit. @param {any} panel @param {any} old @param {string} title */
function gauge(panel, old, title) {
  const words = page.get("vocabulary");
  const meter = h("meter", { "aria-label": title, min: 0, max: Math.max(panel.limit, panel.value), high: panel.limit, value: panel.value });
  return h("div", { class: "gauge-box" }, meter,
    h("p", {}, `${was(old?.value, panel.value)} · ${t("limit", { limit: panel.limit })}`),
    h("ul", { class: "parts" }, ...Object.entries(panel.parts ?? {}).map(([id, n]) => h("li", { "data-id": id }, `${words.name(id)} ${n}`))));
}
