// @ts-check
/** The board: what lies on each space, what changed, what is named or may be picked, zoom, and keys. */

import { byId, h, on, svg } from "../base/dom.js";
import * as page from "../base/page.js";
import { bind, moving } from "../base/keys.js";
import { t } from "../base/text.js";

const ZOOM = 1.4, MOST_ZOOM = 8;
const READABLE = 9 / 11; // pixels for a unit of the drawing, in a region: its smallest texts have 9 pixels then
const FEW = 8, SWELL = 350; // changed numbers that still are one step, and the milliseconds of their motion
const frame = byId("board"), line = byId("space-line"), tools = byId("board-tools");
const changes = h("ul", { class: "board-changes" });
const board = /** @type {SVGSVGElement | null} */ (frame.querySelector("svg.board"));
/** @type {Map<string, SVGGElement>} */
const spaces = new Map();
/** @type {Record<string, Record<string, string | number>>} */
let shown = page.start.scene?.board ?? {};
/** @type {[number, number, number, number]} */
let whole = [0, 0, 1, 1], view = whole;

/** Give the board life. */
export function mount() {
  if (!board) return addWords();
  for (const space of board.querySelectorAll(".space")) spaces.set(space.id.slice(2), /** @type {any} */ (space));
  const box = board.viewBox.baseVal;
  whole = view = [box.x, box.y, box.width, box.height];
  for (const [id, space] of spaces) {
    space.setAttribute("role", "button");
    space.setAttribute("tabindex", "-1");
    space.dataset.id = id;
  }
  spaces.values().next().value?.setAttribute("tabindex", "0");
  addTools();
  addWords();
  abbreviate();
  line.after(changes);
  on(board, "click", ".space", (space) => page.set({ clicked: { id: space.dataset.id } }));
  on(board, "pointerover", ".space", describe);
  on(board, "focusin", ".space", describe);
  board.addEventListener("pointerleave", () => (line.textContent = ""));
  board.addEventListener("keydown", moved);
  addPanning(board);
  page.on(["scene"], ({ scene }) => show(scene.board ?? {}));
  page.on(["scene", "before"], ({ scene, before }) => showChanges(scene.board ?? {}, before?.board));
  page.on(["ring"], ({ ring }) => flag("ringed", ring ?? []));
  page.on(["pickable"], ({ pickable }) => flag("pickable", pickable ?? []));
  page.on(["picked"], ({ picked }) => flag("picked", picked ?? []));
}

// ── names on the whole board: cut short where the whole ones were too small to be read ──

const LEAST = 9, SMALLEST = 11, SHORT = 24; // pixels of a text; units of the smallest name, and of a short one at most
const IN_BOX = { letters: 5, room: 60 }, BELOW = { letters: 7, room: 94 }; // room: units of the drawing

function abbreviate() {
  const pen = document.createElement("canvas").getContext("2d");
  if (pen) pen.font = `600 ${SHORT}px ${board ? getComputedStyle(board).fontFamily : "sans-serif"}`;
  for (const space of spaces.values()) {
    const rows = [...space.querySelectorAll(":scope > :is(.title, .name)")], last = rows.at(-1);
    if (!last) continue;
    const { letters, room } = last.matches(".title") ? IN_BOX : BELOW;
    const name = short(rows.map((row) => row.textContent).join(" "), letters), fits = !pen || pen.measureText(name).width <= room;
    const place = { class: "short", x: last.getAttribute("x") ?? 0, y: rows[0].getAttribute("y") };
    last.after(svg("text", fits ? place : { ...place, textLength: room, lengthAdjust: "spacingAndGlyphs" }, name));
  }
  new ResizeObserver(measure).observe(frame);
}

/** The beginning of a name: of its first word, or of all where that is cut short itself. @param {string} name @param {number} letters */
function short(name, letters) {
  const first = name.split(/[\s/]+/)[0], whole = first.length < 4 || first.endsWith(".");
  return (whole ? name.replace(/\s+/g, "") : first).slice(0, letters).replace(/[.,/-]+$/, "");
}

/** Choose the names that can be read; where not even short ones can, the view of a region shows them. */
function measure() {
  const pixels = (board?.getBoundingClientRect().width ?? 0) / view[2], size = Math.ceil(LEAST / pixels);
  frame.classList.toggle("far", Math.round(pixels * SMALLEST * 10) < LEAST * 10 && size <= SHORT);
  board?.style.setProperty("--short", `${size}px`);
}

/** Show what lies on the spaces; a step lets the numbers that it changed swell. @param {Record<string, Record<string, any>>} now */
function show(now) {
  const touched = [];
  for (const [id, space] of spaces) {
    const before = shown[id], slots = now[id];
    if (before === slots) continue;
    touched.push(...Object.keys(slots ?? {}).filter((slot) => before?.[slot] !== slots[slot]).map((slot) => slotOf(space, slot)));
    for (const slot of Object.keys(before ?? {})) if (!slots || !(slot in slots)) fill(space, slot, undefined);
    for (const [slot, value] of Object.entries(slots ?? {})) fill(space, slot, value);
    label(space, slots ?? {});
  }
  shown = now;
  if (touched.length > FEW || !moving()) return;
  for (const text of touched) text?.animate([{ transform: "scale(2)" }, { transform: "none" }], { duration: SWELL, easing: "ease-out" });
}

/** @param {SVGGElement} space @param {string} slot */
function slotOf(space, slot) {
  return space.querySelector(`:scope > [data-slot="${slot}"]`);
}

/** @param {SVGGElement} space @param {string} slot @param {string | number | undefined} value */
function fill(space, slot, value) {
  if (value === undefined) space.removeAttribute(`data-${slot}`);
  else space.setAttribute(`data-${slot}`, String(value));
  const said = page.get("vocabulary").letter(value) || String(value ?? "");
  for (const text of space.querySelectorAll(`:scope > [data-slot="${slot}"]`)) text.textContent = said;
}

/** Say in words what lies on a space. @param {SVGGElement} space @param {Record<string, any>} slots */
function label(space, slots) {
  space.setAttribute("aria-label", `${space.dataset.label}; ${page.get("vocabulary").lies(slots) || t("nothing_here")}`);
}

/** Ring what differs from an earlier scene, with the difference of numbers. @param {any} now @param {any} before */
function showChanges(now, before) {
  for (const badge of board?.querySelectorAll(".badge") ?? []) badge.remove();
  changes.replaceChildren();
  for (const [id, space] of spaces) {
    const differs = before !== undefined && JSON.stringify(now[id] ?? {}) !== JSON.stringify(before[id] ?? {});
    space.classList.toggle("changed", differs);
    if (!differs) continue;
    space.append(badge(difference(before[id] ?? {}, now[id] ?? {})));
    changes.append(h("li", { "data-id": id }, inWords(id, before[id] ?? {}, now[id] ?? {})));
  }
}

/** @param {Record<string, any>} before @param {Record<string, any>} now */
function difference(before, now) {
  const words = page.get("vocabulary"), found = [];
  for (const slot of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const least = before[slot] ?? 0, most = now[slot] ?? 0;
    if (typeof least !== "number" || typeof most !== "number" || least === most) continue;
    found.push(`${words.letter(slot)}${most > least ? "+" : "−"}${Math.abs(most - least)}`);
  }
  return found.join(" ");
}

/** What changed on a space, in words. @param {string} id @param {Record<string, any>} before @param {Record<string, any>} now */
function inWords(id, before, now) {
  const words = page.get("vocabulary"), name = (/** @type {any} */ value) => (value === undefined ? "–" : words.name(value));
  const slots = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((slot) => before[slot] !== now[slot]);
  const said = slots.map((slot) => `${words.field(slot)} ${t("now", { before: name(before[slot]), after: name(now[slot]) })}`);
  return `${words.name(id)}: ${said.join(", ")}`;
}

/** @param {string} text */
function badge(text) {
  if (!text) return svg("g", { class: "badge" });
  const half = 6 + text.length * 5;
  return svg("g", { class: "badge", transform: "translate(0 -34)" },
    svg("rect", { x: -half, y: -12, width: 2 * half, height: 22, rx: 11 }), svg("text", { y: 5 }, text));
}

/** Give a class to these spaces alone. @param {string} name @param {Iterable<string>} ids */
function flag(name, ids) {
  const wanted = new Set(ids);
  for (const [id, space] of spaces) space.classList.toggle(name, wanted.has(id));
}

/** Show a space in words of a size that can be read. @param {SVGGElement} space */
function describe(space) {
  line.textContent = space.getAttribute("aria-label");
}

// ── keys: arrows go to the nearest space in a direction, letters to a name ──

const DIRECTIONS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
});

/** @param {KeyboardEvent} event */
function moved(event) {
  const from = /** @type {SVGGElement | null} */ (/** @type {Element} */ (event.target).closest(".space"));
  if (!from || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" || event.key === " ") page.set({ clicked: { id: from.dataset.id } });
  else if (event.key in DIRECTIONS) go(nearest(from, DIRECTIONS[event.key]));
  else if (event.key.length === 1 && /\p{L}/u.test(event.key)) go(named(from, event.key));
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {SVGGElement | undefined} space */
function go(space) {
  if (!space) return;
  for (const other of spaces.values()) other.setAttribute("tabindex", "-1");
  space.setAttribute("tabindex", "0");
  space.focus();
}

/** @param {SVGGElement} space @returns {[number, number]} */
function middle(space) {
  const { e, f } = /** @type {DOMMatrix} */ (space.transform.baseVal.consolidate()?.matrix);
  return [e, f];
}

/** @param {SVGGElement} from @param {[number, number]} direction */
function nearest(from, [dx, dy]) {
  const [x, y] = middle(from);
  let best, least = Infinity;
  for (const space of spaces.values()) {
    const [to_x, to_y] = middle(space);
    const along = (to_x - x) * dx + (to_y - y) * dy, across = Math.abs((to_x - x) * dy) + Math.abs((to_y - y) * dx);
    const distance = along + 2 * across;
    if (along > 0 && distance < least) [best, least] = [space, distance];
  }
  return best;
}

/** The next space whose name begins with a letter. @param {SVGGElement} from @param {string} letter */
function named(from, letter) {
  const all = [...spaces.values()], start = all.indexOf(from) + 1;
  const wanted = letter.toLowerCase();
  return [...all.slice(start), ...all.slice(0, start)].find((space) =>
    (space.dataset.label ?? "").toLowerCase().startsWith(wanted));
}

// ── in words: the board as a table, and cards with what they say ──

const IN_WORDS = "in-words";

/** Let the reader choose words, for this page and those that follow. */
function addWords() {
  const button = /** @type {HTMLElement} */ (tools.querySelector(".in-words"));
  button.addEventListener("click", () => page.set({ inWords: !page.get("inWords") }));
  bind("t", "key_words", () => button.click());
  page.on(["inWords"], ({ inWords }) => {
    button.setAttribute("aria-pressed", String(inWords));
    board?.toggleAttribute("hidden", inWords);
    board?.setAttribute("display", inWords ? "none" : "inline"); // which holds without any style
    for (const part of tools.querySelectorAll(".zooms, .regions")) part.toggleAttribute("hidden", inWords);
    remember(inWords);
  });
  page.set({ inWords: remembered() });
}

function remembered() {
  try {
    return localStorage.getItem(IN_WORDS) === "on";
  } catch {
    return false; // in a frame of another page a browser may lock its storage
  }
}

/** @param {boolean} inWords */
function remember(inWords) {
  try {
    localStorage.setItem(IN_WORDS, inWords ? "on" : "off");
  } catch {
    // the choice holds for this page alone
  }
}

// ── zoom ──

function addTools() {
  const words = page.get("vocabulary");
  const button = (/** @type {string} */ text, /** @type {string} */ name, /** @type {() => void} */ act) =>
    h("button", { type: "button", class: "tool", "aria-label": name, title: name, on: { click: act } }, text);
  const places = [...(board?.querySelectorAll(".region[data-view]") ?? [])].filter((one) =>
    words.regions.length === 0 || words.regions.some((/** @type {{id: string}} */ region) => `r-${region.id}` === one.id));
  tools.append(
    h("span", { class: "zooms" },
      button("+", t("zoom_in"), () => zoom(1 / ZOOM)),
      button("−", t("zoom_out"), () => zoom(ZOOM)),
      h("button", { type: "button", class: "tool region-tab", on: { click: () => see(whole) } }, t("whole")),
      h("span", { class: "steps-of-parts" },
        button("‹", t("part_before"), () => walk(places, -1)), button("›", t("part_after"), () => walk(places, 1)))),
    h("span", { class: "regions" }, ...places.map((place) => {
      const name = words.field(place.id.slice(2));
      return h("button", { type: "button", class: "tool region-tab", on: { click: () => see(parts(place)[0], true) } }, name);
    })),
  );
  bind("+ =", "key_zoom", () => zoom(1 / ZOOM), "+ − 0");
  bind("- −", "key_zoom", () => zoom(ZOOM), "+ − 0");
  bind("0", "key_zoom", () => see(whole), "+ − 0");
  bind("m", "key_board", () => /** @type {HTMLElement | null} */ (frame.querySelector('[tabindex="0"]'))?.focus());
}

/** @typedef {[number, number, number, number]} Part */

/** A region as a whole where it can be read, else its parts. @param {Element} place @returns {Part[]} */
function parts(place) {
  const read = (/** @type {string} */ text) => /** @type {Part} */ (text.split(" ").map(Number));
  const all = read(place.getAttribute("data-view") ?? ""), smaller = place.getAttribute("data-parts");
  return !smaller || all[2] * READABLE <= frame.clientWidth ? [all] : smaller.split(";").map(read);
}

/** From one part of a region to the next one, and on to the next region. @param {Element[]} places @param {number} way */
function walk(places, way) {
  const all = places.flatMap(parts), at = all.findIndex((part) => part.join() === view.join());
  see(all[at < 0 ? (way > 0 ? 0 : all.length - 1) : (at + way + all.length) % all.length], true);
}

/** Show this part of the board. @param {[number, number, number, number]} part @param {boolean} [readable] large enough for its names */
function see(part, readable = false) {
  view = part;
  board?.setAttribute("viewBox", part.join(" "));
  const wide = readable ? Math.ceil(part[2] * READABLE) : 0;
  if (board) board.style.width = wide > frame.clientWidth ? `${wide}px` : "";
  frame.classList.toggle("zoomed", part !== whole);
  measure();
}

/** @param {number} factor @param {[number, number]} [around] in units of the board */
function zoom(factor, around) {
  const [x, y, w, h] = view;
  const wide = Math.min(whole[2], Math.max(whole[2] / MOST_ZOOM, w * factor)), high = (wide / whole[2]) * whole[3];
  const [cx, cy] = around ?? [x + w / 2, y + h / 2];
  if (wide >= whole[2]) see(whole);
  else see(inside([cx - ((cx - x) / w) * wide, cy - ((cy - y) / h) * high, wide, high]));
}

/** @param {[number, number, number, number]} part @returns {[number, number, number, number]} */
function inside([x, y, w, h]) {
  const limit = (/** @type {number} */ at, /** @type {number} */ size, /** @type {number} */ low, /** @type {number} */ all) =>
    size >= all ? low + (all - size) / 2 : Math.min(Math.max(at, low), low + all - size);
  return [limit(x, w, whole[0], whole[2]), limit(y, h, whole[1], whole[3]), w, h];
}

/** Drag to pan where the board is zoomed; two fingers or Ctrl and the wheel zoom. @param {SVGSVGElement} root */
function addPanning(root) {
  /** @type {Map<number, PointerEvent>} */
  const fingers = new Map();
  const scale = () => view[2] / root.getBoundingClientRect().width;
  root.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const place = root.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1 / 1.15 : 1.15, [
      view[0] + (event.clientX - place.x) * scale(), view[1] + (event.clientY - place.y) * scale()]);
  }, { passive: false });
  root.addEventListener("pointerdown", (event) => fingers.set(event.pointerId, event));
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
    root.addEventListener(name, (event) => fingers.delete(/** @type {PointerEvent} */ (event).pointerId));
  }
  root.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const others = [...fingers.values()].filter((one) => one.pointerId !== event.pointerId);
    if (others.length) {
      const far = (/** @type {PointerEvent} */ one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY);
      zoom(far(before) / Math.max(1, far(event)));
    } else if (frame.classList.contains("zoomed")) {
      const factor = scale();
      see(inside([view[0] - (event.clientX - before.clientX) * factor, view[1] - (event.clientY - before.clientY) * factor,
        view[2], view[3]]));
    }
    fingers.set(event.pointerId, event);
  });
}
