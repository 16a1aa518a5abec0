// @ts-check
/** The story: the sentences of every move, what they name, search, and the history of one thing. */

import { byId, h, icon, on } from "../base/dom.js";
import { bind } from "../base/keys.js";
import * as page from "../base/page.js";
import { localTime, t, utcTime } from "../base/text.js";

const PEEK = 200; // milliseconds over a line until its position is shown
const list = byId("moves"), tools = byId("story-tools");
const search = /** @type {HTMLInputElement} */ (h("input", { type: "search", "aria-label": t("search"), placeholder: t("search") }));
const about = h("p", { class: "story-about", role: "status" });
/** @type {Map<number, HTMLElement>} the line of each move */
let lines = new Map();
/** @type {number | undefined} */
let waiting;
let spot = ""; // where the pointer is
/** @type {Element | null} the line, or what a sentence of it names, at which the pointer points */
let under = null;

/** Tell the story from now on. */
export function mount() {
  tools.append(search, filters(), about);
  search.addEventListener("input", () => page.set({ sought: search.value.trim().toLowerCase() }));
  bind("s", "key_story", () => list.focus());
  bind("/", "key_search", () => search.focus());
  page.on(["positions", "last", "moments"], fill);
  page.on(["positions", "last", "moments", "sought", "history", "kept"], filter);
  page.on(["move", "positions", "last", "moments"], ({ move }) => mark(move));
  on(list, "click", "a.number", (link, event) => {
    event.preventDefault();
    go(Number(link.closest(".move").dataset.move));
  });
  on(list, "click", ".move", (line, event) => {
    const named = event.target.closest("[data-id]");
    if (named) page.set({ clicked: { id: named.dataset.id } });
    else go(Number(line.dataset.move));
  });
  on(list, "pointerover", ".move", (line, event) => event.pointerType === "mouse" || hover(line, event));
  on(list, "pointermove", ".move", (line, event) => event.pointerType === "mouse" && pointed(line, event));
  page.on(["move"], rest);
  on(list, "pointerover", ".number", (link) => (link.title = moved(page.get("positions").at(Number(link.textContent)))));
  on(list, "focusin", "[data-id]", (named) => page.set({ ring: [named.dataset.id] }));
  list.addEventListener("focusout", () => page.set({ ring: [] }));
  list.addEventListener("pointerleave", rest);
}

/** @param {number} move */
function go(move) {
  rest();
  page.set({ move, pushed: true });
}

/** Ring what a sentence names; show the position of a line while the pointer rests on it. @param {HTMLElement} line @param {PointerEvent} event */
function hover(line, event) {
  const named = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-id]"));
  const all = [...line.querySelectorAll("[data-id]")].map((one) => /** @type {HTMLElement} */ (one).dataset.id);
  page.set({ ring: named ? [named.dataset.id] : all });
  clearTimeout(waiting);
  if (event.pointerType === "mouse") waiting = setTimeout(() => page.set({ peek: Number(line.dataset.move) }), PEEK);
}

/** A pointer that stands still points at nothing new when the story moves under it. @param {HTMLElement} line @param {PointerEvent} event */
function pointed(line, event) {
  const here = `${event.clientX} ${event.clientY}`, what = /** @type {Element} */ (event.target).closest("[data-id]") ?? line;
  if (here === spot || (spot = here, what === under)) return;
  under = what;
  hover(line, event);
}

function rest() {
  clearTimeout(waiting);
  under = null;
  page.set({ peek: null, ring: [] });
}

/** Tell the moves that are not here yet; of another view, all of them. @param {Readonly<Record<string, any>>} state */
function fill({ positions, moments, last }) {
  if (!positions) return;
  const wanted = Math.min(positions.last, last);
  if (lines.get(1)?.dataset.view !== positions.view || lines.size > wanted) {
    lines = new Map();
    list.replaceChildren();
  }
  for (const [n, line] of lines) if (!positions.at(n).stands && !line.classList.contains("taken-back")) takeBack(line);
  for (let n = lines.size + 1; n <= wanted; n++) append(positions, n);
  star(moments ?? []);
}

/** Mark the key moments, each with its reason. @param {{move: number, why: string[]}[]} moments */
function star(moments) {
  for (const why of list.querySelectorAll(".key > .key-why")) why.remove();
  for (const line of list.querySelectorAll(".key")) line.classList.remove("key");
  for (const { move, why } of moments) {
    const line = lines.get(move);
    line?.classList.add("key");
    line?.querySelector(".number")?.after(h("p", { class: "why key-why" }, icon("star"), " ", why.join(" ")));
  }
}

/** A move that is shown stands no more. @param {HTMLElement} line */
function takeBack(line) {
  line.classList.add("taken-back");
  line.querySelector(".number")?.after(h("p", { class: "why" }, t("taken_back")));
}

/** @param {any} positions @param {number} n */
function append(positions, n) {
  const move = positions.at(n), before = n > 1 ? positions.at(n - 1).turn : 0;
  if (move.turn !== before) list.append(h("li", { class: "turn", "data-turn": move.turn }, t("turn", { turn: move.turn })));
  const line = h("li", {
    class: `move ${move.stands ? "" : "taken-back"} seat-${page.get("vocabulary").place(move.seat)}`,
    "data-move": n, "data-view": positions.view,
  }, h("a", { class: "number", href: page.addressOf(n, positions.view) }, String(n)));
  if (!move.stands) line.append(h("p", { class: "why" }, t("taken_back")));
  for (const pieces of page.get("vocabulary").told(move)) line.append(paragraph(pieces));
  lines.set(n, line);
  list.append(line);
}

/** @param {any} move */
function moved(move) {
  return move.at === null || move.at === undefined ? "" : `${localTime(move.at)} (${utcTime(move.at)})`;
}

/** A sentence; what it names can be pointed at. @param {[string, string][]} pieces each a text, and the id that it names */
export function paragraph(pieces) {
  const words = page.get("vocabulary");
  return h("p", {}, ...pieces.map(([text, id]) => {
    const seat = words.place(id);
    return id ? h("span", { class: seat < 0 ? "named" : `named seat-name seat-${seat}`, "data-id": id, tabindex: "-1" }, text) : text;
  }));
}

/** Mark the line of the move that is shown, and keep it in sight. @param {number} move */
function mark(move) {
  list.querySelector('[aria-current="true"]')?.removeAttribute("aria-current");
  const line = lines.get(move);
  if (!line) return;
  line.setAttribute("aria-current", "true");
  const frame = list.getBoundingClientRect(), box = line.getBoundingClientRect();
  if (box.top < frame.top || box.bottom > frame.bottom) list.scrollTop += box.top - frame.top - frame.height / 3;
}

function filters() {
  const box = h("div", { class: "filters", role: "group" });
  for (const kept of ["all", "key"]) {
    const button = h("button", { type: "button", class: "tool", "aria-pressed": kept === "all" }, t(`filter_${kept}`));
    button.addEventListener("click", () => {
      for (const other of box.children) other.setAttribute("aria-pressed", String(other === button));
      page.set({ kept, history: null });
    });
    box.append(button);
  }
  return box;
}

/** Show the lines that fit the search, or that name one thing. @param {Readonly<Record<string, any>>} state */
function filter({ sought, history, kept }) {
  let found = 0;
  for (const line of lines.values()) {
    const fits = (!sought || (line.textContent ?? "").toLowerCase().includes(sought)) &&
      (!history || line.querySelector(`[data-id="${CSS.escape(history)}"]`)) && (kept !== "key" || line.classList.contains("key"));
    line.hidden = !fits;
    found += fits ? 1 : 0;
  }
  for (const heading of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll(".turn"))) {
    heading.hidden = Boolean(sought || history || kept === "key");
  }
  about.replaceChildren();
  if (history) {
    const name = page.get("vocabulary").name(history);
    const close = h("button", { type: "button", class: "tool", on: { click: () => page.set({ history: null }) } }, t("close"));
    about.append(h("b", {}, t("history", { name })), ` · ${t("history_count", { count: found })} `, close);
    const says = page.get("vocabulary").cards[history]?.text;
    if (says) about.append(h("span", { class: "card-words" }, says));
  } else if (sought) about.append(t("found", { count: found }));
}
