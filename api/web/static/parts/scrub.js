// @ts-check
/** The bar: every move of the match on one line, steps, play, the view, and what changed since a move. */

import { byId, h, icon } from "../base/dom.js";
import { bind, moving } from "../base/keys.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";

const STEP = 1100; // milliseconds between two moves at the speed 1
const LONGEST = 2000; // milliseconds between two moves in the time really taken
const AT_MOST = 10000; // milliseconds in which the moves since the reader's last one are shown
const LABEL = 34; // pixels that the label of a turn needs
const SPEEDS = [0.5, 1, 2, 4, 8], REAL = "real";
const bar = byId("bar"), live = byId("live");
const range = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: 1, "aria-label": t("move") }));
const number = /** @type {HTMLInputElement} */ (h("input", { type: "number", min: 1, "aria-label": t("move") }));
const of = h("span", { class: "of" }), turns = h("div", { class: "turn-marks" }), looking = h("p", { class: "looking", hidden: true });
const speed = /** @type {HTMLSelectElement} */ (
  h("select", { "aria-label": t("speed") }, ...SPEEDS.map((one) => h("option", { value: one, selected: one === 1 }, `${one}×`)),
    h("option", { value: REAL }, t("as_played"))));
const play = h("button", { type: "button", class: "tool play", "aria-label": t("play"), title: t("play") }, icon("play"));
const since = h("button", { type: "button", class: "tool", "aria-pressed": "false" }, t("since_set"));
const meanwhile = h("button", { type: "button", class: "tool meanwhile", hidden: true });
const more = /** @type {HTMLDetailsElement} */ (h("details", { class: "bar-more", open: !matchMedia("(max-width: 700px)").matches, id: "more" },
  h("summary", {}, t("more")),
  h("div", { class: "row" }, h("span", { class: "counter" }, h("label", {}, `${t("move")} `, number), " ", of), speed, since)));
/** @type {number | undefined} */
let timer;
let pace = 0; // milliseconds between two moves, where not the chosen speed decides
let mine = 0; // the reader's last own move, if others moved since

/** Set up the bar. */
export function mount() {
  const step = (/** @type {string} */ name, /** @type {() => void} */ act) =>
    h("button", { type: "button", class: "tool", "aria-label": t(name), title: t(name), on: { click: act } }, icon(name));
  bar.append(
    h("div", { class: "line" }, range, turns),
    h("div", { class: "steps" },
      step("first", () => go(1)), step("previous_turn", () => turn(-1)), step("previous", () => go(at() - 1)),
      play, step("next", () => go(at() + 1)), step("next_turn", () => turn(1)), step("last", () => go(last()))
    ),
    meanwhile, more, looking,
  );
  range.addEventListener("input", () => page.set({ wanted: Number(range.value) }));
  number.addEventListener("change", () => go(Number(number.value) || 1));
  number.addEventListener("keydown", (event) => event.key === "Enter" && range.focus()); // letters are keys again
  play.addEventListener("click", toggle);
  since.addEventListener("click", mark);
  meanwhile.addEventListener("click", catchUp);
  document.addEventListener("visibilitychange", () => document.hidden && stop());
  offerViews();
  bind("ArrowLeft", "key_move", () => go(at() - 1), "← →");
  bind("ArrowRight", "key_move", () => go(at() + 1), "← →");
  bind("Shift+ArrowLeft Ctrl+ArrowLeft", "key_turn", () => turn(-1), "Shift ← →");
  bind("Shift+ArrowRight Ctrl+ArrowRight", "key_turn", () => turn(1), "Shift ← →");
  bind("Home", "key_ends", () => go(1), "Home End");
  bind("End", "key_ends", () => go(last()), "Home End");
  bind("Space", "key_play", toggle);
  bind("[", "key_key_moment", () => moment(-1), "[ ]");
  bind("]", "key_key_moment", () => moment(1), "[ ]");
  bind("d", "key_diff", mark);
  page.on(["positions", "last"], findMine);
  page.on(["positions", "last", "moments"], marks);
  page.on(["move", "last", "positions", "since"], update);
  page.on(["move", "peek", "positions"], paint);
  page.on(["wanted"], ({ wanted }) => wanted && frame(() => page.set({ move: page.get("wanted"), pushed: false, wanted: null })));
  page.on(["move", "positions", "since"], ({ positions: all, since: from }) => page.set({ before: from ? all.scene(from) : undefined }));
}

/** Show the scene of the move, or of the one at which the reader peeks. @param {Readonly<Record<string, any>>} state */
function paint({ positions, move, peek }) {
  const scene = positions?.scene(peek || move);
  if (scene) page.set({ scene });
}

let asked = false;

/** Do it once before the next picture of the screen, however often it is wanted. @param {() => void} act */
function frame(act) {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    act();
  });
}

/** Say that the positions could not be loaded. @param {any} error */
export function failed(error) {
  bar.append(h("p", { class: "notice", role: "alert" }, t("load_failed", { problem: error.message }), " ",
    h("button", { type: "button", on: { click: () => location.reload() } }, t("try_again"))));
}

const at = () => /** @type {number} */ (page.get("move"));
const last = () => /** @type {number} */ (page.get("last"));

/** The move to which one may go: without spoilers one that the reader has not seen yet. */
const limit = () => (page.get("spoilerFree") ? page.get("positions").last : last());

/** @param {number} move */
function go(move) {
  page.set({ move: Math.min(Math.max(1, move), limit()), pushed: false });
}

/** To the first move of the turn before or after. @param {number} way */
function turn(way) {
  const firsts = page.get("positions").turns.map((/** @type {[number, number]} */ pair) => pair[1]);
  const found = way > 0 ? firsts.find((/** @type {number} */ n) => n > at()) : firsts.findLast((/** @type {number} */ n) => n < at());
  go(found ?? (way > 0 ? limit() : 1));
}

/** @param {number} way */
function moment(way) {
  const known = (page.get("moments") ?? []).filter((/** @type {{move: number}} */ one) => one.move <= last());
  const moves = known.map((/** @type {{move: number}} */ one) => one.move);
  const found = way > 0 ? moves.find((/** @type {number} */ n) => n > at()) : moves.findLast((/** @type {number} */ n) => n < at());
  if (found) go(found);
}

function mark() {
  page.set({ since: page.get("since") ? 0 : at() });
}

// ── playing ──

function toggle() {
  if (timer) return stop();
  if (at() >= limit()) go(1);
  play.replaceChildren(icon("pause"));
  play.setAttribute("aria-label", t("pause"));
  next();
}

function stop() {
  clearTimeout(timer);
  timer = undefined;
  pace = 0;
  play.replaceChildren(icon("play"));
  play.setAttribute("aria-label", t("play"));
}

/** Wait, and show the next move that was not taken back. */
function next() {
  const positions = page.get("positions");
  let to = at() + 1;
  while (to < limit() && !positions.at(to).stands) to++;
  if (to > limit()) return stop();
  timer = setTimeout(() => {
    page.set({ move: to, pushed: false });
    if (timer) next();
  }, pace || (speed.value === REAL ? taken(at(), to) : STEP / Number(speed.value)));
}

/** Find the reader's last own move of a running match, and offer to show what came after it. @param {Readonly<Record<string, any>>} state */
function findMine({ positions, last: end }) {
  const own = page.get("over") ? [] : page.start.own;
  const isMine = (/** @type {any} */ one) => one.kind === "played" && own.includes(one.seat);
  let found = own.length && positions ? end : 0;
  while (found && positions.at(found) && !isMine(positions.at(found))) found--;
  mine = found < end && positions?.at(found) ? found : 0;
  meanwhile.hidden = !mine;
  if (mine) meanwhile.textContent = t("meanwhile", { count: end - mine });
}

/** Play the moves since the reader's last one and mark what they change; only mark it where motion is unwanted. */
function catchUp() {
  stop();
  page.set({ since: mine, pushed: false });
  if (!moving()) return go(last());
  go(mine);
  toggle();
  pace = Math.min(STEP / (Number(speed.value) || 1), AT_MOST / (last() - mine));
}

/** The time between two moves in milliseconds, where it is long a shortened one. @param {number} from @param {number} to */
function taken(from, to) {
  const positions = page.get("positions"), [before, after] = [positions.at(from)?.at, positions.at(to)?.at];
  return before && after ? Math.min(Math.max(0, (after - before) / 1000), LONGEST) : STEP;
}

// ── what the bar shows ──

/** The marks below the line: turns, key moments, and what was taken back. @param {Readonly<Record<string, any>>} state */
function marks({ positions, last: end, moments }) {
  if (!positions) return;
  const place = (/** @type {HTMLElement} */ element, /** @type {number} */ move) => {
    element.style.left = `${(100 * (move - 1)) / Math.max(1, end - 1)}%`;
    return element;
  };
  turns.replaceChildren();
  let named = -Infinity;
  const apart = LABEL / Math.max(1, turns.clientWidth);
  for (const [number, move] of positions.turns.filter((/** @type {[number, number]} */ pair) => pair[1] <= end)) {
    const link = place(h("a", { class: "turn-mark", href: page.addressOf(move, positions.view), "data-move": move,
      "aria-label": t("turn", { turn: number }) }), move);
    if ((move - named) / end > apart) {
      link.append(t("turn_short", { turn: number }));
      named = move;
    }
    turns.append(link);
  }
  for (const { move, why } of (moments ?? []).filter((/** @type {{move: number}} */ one) => one.move <= end)) {
    turns.append(place(h("a", { class: "key-mark", href: page.addressOf(move, positions.view), title: why.join(" "), "data-move": move }, icon("star")), move));
  }
  if (mine) turns.append(place(h("span", { class: "mine-mark", title: t("meanwhile", { count: end - mine }) }), mine));
  for (let n = 1; n <= end; n++) if (!positions.at(n)?.stands) turns.append(place(h("span", { class: "taken-mark" }), n));
  turns.onclick = (event) => {
    const link = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-move]"));
    if (!link) return;
    event.preventDefault();
    page.set({ move: Number(link.dataset.move), pushed: true });
  };
}

/** @param {Readonly<Record<string, any>>} state */
function update({ positions, move, last: end, since: marked, vocabulary: words }) {
  range.max = number.max = String(end);
  range.value = number.value = String(move);
  of.textContent = page.get("spoilerFree") ? "" : t("of", { last: end });
  since.setAttribute("aria-pressed", String(Boolean(marked)));
  since.textContent = marked ? t("since", { move: marked }) : t("since_set");
  const here = positions?.at(move);
  const [first = []] = here ? words.told(here) : [];
  const text = first.map((/** @type {[string, string]} */ [piece]) => piece).join("");
  range.setAttribute("aria-valuetext", t("value_text", { move, turn: here?.turn ?? "", text }));
  live.textContent = text;
  const back = !page.get("over") && move < end;
  looking.hidden = !back;
  if (back) looking.replaceChildren(t("looking_back", { move }), " ", h("button", { type: "button", class: "tool", on: { click: () => go(end) } }, t("jump_now")));
}

// ── whose eyes ──

/** Offer the views that this reader may choose, where there is a choice. */
function offerViews() {
  const views = /** @type {string[]} */ (page.start.views);
  if (views.length < 2) return;
  const box = h("fieldset", { class: "views" }, h("legend", {}, t("view")));
  for (const view of views) {
    const input = h("input", { type: "radio", name: "view", value: view, checked: view === page.get("view") });
    input.addEventListener("change", () => page.set({ view }));
    box.append(h("label", {}, input, " ", nameOf(view)));
  }
  more.lastElementChild?.append(box);
  bind("v", "key_view", () => page.set({ view: views[(views.indexOf(page.get("view")) + 1) % views.length] }));
  page.on(["view"], ({ view }) => {
    for (const input of box.querySelectorAll("input")) input.checked = input.value === view;
  });
}

/** @param {string} view */
function nameOf(view) {
  if (view === "all" || view === "spectator") return t(`view_${view}`);
  return page.get("vocabulary").name(view);
}
