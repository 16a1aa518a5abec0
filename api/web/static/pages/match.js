// @ts-check
/** The page of a match: the table while it is played, the replay room when it is over. */

import { byId, on } from "../base/dom.js";
import { bind, showKeys } from "../base/keys.js";
import * as page from "../base/page.js";
import { read } from "../data/api.js";
import { Positions } from "../data/positions.js";
import { Vocabulary } from "../data/vocabulary.js";
import * as board from "../parts/board.js";
import * as narration from "../parts/narration.js";
import * as panels from "../parts/panels.js";
import * as scrub from "../parts/scrub.js";

const { start } = page, { failed } = scrub;

async function open() {
  const positions = new Positions(start.match, start.view);
  try {
    const [vocabulary] = await Promise.all([Vocabulary.load(start.vocabulary), positions.load()]);
    page.set({ vocabulary, over: start.over, view: start.view, move: 0, last: 0, since: 0, spoilerFree: start.spoilerFree, listing: true });
  } catch (error) {
    return failed(error);
  }
  page.on(["inWords"], async ({ inWords }) => inWords && (await import("../parts/in_words.js")).mount());
  for (const part of [board, panels, narration, scrub]) part.mount();
  bind("?", "key_help", showKeys);
  bind("Escape", "key_escape", () => page.set({ peek: null, history: null, since: 0, ring: [] }));
  page.on(["move"], reach);
  page.on(["move", "view", "last"], ({ move, view, last, over, pushed }) =>
    page.showAddress({ move: move === last && !over ? null : move, view }, pushed));
  page.on(["clicked"], ({ clicked, pickable }) => {
    if (clicked && !pickable?.has(clicked.id)) page.set({ history: clicked.id });
  });
  page.on(["view"], change);
  tabs();
  window.addEventListener("popstate", () => {
    const move = Number(new URL(location.href).searchParams.get("move")) || page.get("last");
    page.set({ move: Math.min(Math.max(1, move), page.get("last")), pushed: false });
  });
  const move = fromHash() ?? Math.min(start.move, positions.last);
  page.set({ positions, last: start.spoilerFree ? move : positions.last, move });
  whenIdle();
  if (!start.over) await goOn();
  if (start.clock) await showTime();
  document.documentElement.dataset.ready = "true";
}

/** A narrow page shows one part at a time; it opens at the question when the reader is asked. */
function tabs() {
  const list = byId("tabs"), all = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (list.querySelectorAll("a"))];
  const choose = (/** @type {HTMLElement} */ chosen) => {
    byId("table").dataset.tab = chosen.dataset.tab;
    for (const tab of all) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
    }
    const charts = /** @type {HTMLDetailsElement} */ (byId("charts"));
    if (chosen.dataset.tab === "charts") charts.open = true;
  };
  list.setAttribute("role", "tablist");
  for (const tab of all) {
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", tab.hash.slice(1));
  }
  on(list, "click", "a", (tab, event) => (event.preventDefault(), choose(tab)));
  list.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key], at = all.indexOf(/** @type {any} */ (event.target));
    if (!way || at < 0) return;
    event.preventDefault();
    const next = all[(at + way + all.length) % all.length];
    choose(next);
    next.focus();
  });
  page.on(["question"], ({ question }) => {
    all[0].classList.toggle("asks", Boolean(question));
    if (question) choose(all[0]);
  });
  page.on(["picks"], ({ picks, question }) => {
    if (question && picks.length && picks.length >= question.least) choose(all[0]); // there it is sent
  });
  choose(all[0]);
}

/** Follow a match that runs, and let its player answer. */
async function goOn() {
  const [live, question] = await Promise.all([import("../parts/live.js"), import("../parts/question.js")]);
  live.mount();
  question.mount();
  if (start.clock) import("../parts/gift.js").then(({ mount }) => mount());
  if (document.getElementById("officials")) import("../parts/officials.js");
}

/** Let the clocks run; each move says what they have come to, and an earlier one what they were. */
async function showTime() {
  const { followClocks } = await import("../parts/clocks.js");
  followClocks();
}

/** `#212` names a move, too. */
function fromHash() {
  const found = /^#(\d{1,9})$/.exec(location.hash);
  return found ? Math.max(1, Math.min(Number(found[1]), page.get("positions")?.last ?? start.last)) : undefined;
}

/** Without spoilers: the match is as long as the reader has seen of it; at its end the page tells the rest. @param {Readonly<Record<string, any>>} state */
function reach({ move, last, positions, spoilerFree }) {
  if (!spoilerFree || move <= last) return;
  if (move < positions.last) return page.set({ last: move });
  const address = new URL(location.href);
  address.searchParams.delete("spoiler");
  address.searchParams.set("move", String(move));
  location.replace(address);
}

/** The key moments of the match, as this view tells them. @param {string} view */
async function tellMoments(view) {
  try {
    const { moments } = await read(`/v1/matches/${start.match}/turns?view=${view}&limit=1`);
    if (page.get("view") === view) page.set({ moments });
  } catch {
    page.set({ moments: [] }); // the story is there without them
  }
}

/** Load what is not needed at once. */
function whenIdle() {
  if (start.salted.length) import("../data/salts.js").then(({ openSalts }) => openSalts([start.match]));
  if (start.over) tellMoments(page.get("view"));
  const parts = [import("../parts/possible.js"), import("../parts/card_text.js"), import("../parts/candidates.js"), import("../parts/motion.js")];
  for (const part of parts) part.then(({ mount }) => mount(), () => {}); // the reader left meanwhile, or does without
  const charts = /** @type {HTMLDetailsElement | null} */ (document.querySelector("#charts"));
  charts?.addEventListener("toggle", async () => {
    const { show } = await import("../parts/tracks.js");
    show(charts);
  }, { once: true });
  const analysis = /** @type {HTMLElement | null} */ (document.querySelector("#analysis"));
  analysis?.addEventListener("toggle", async () => {
    const { offer } = await import("../parts/analysis.js");
    offer(analysis);
  }, { once: true });
  document.querySelector("#share")?.addEventListener("click", async () => {
    const { share } = await import("../parts/share.js");
    share();
  });
  document.querySelector("#branch")?.addEventListener("click", async () => {
    const { branch } = await import("../parts/branch.js");
    branch();
  });
}

/** Show the same move as another view has it. @param {Readonly<Record<string, any>>} state */
async function change({ view }) {
  const positions = new Positions(start.match, view);
  try {
    await positions.load();
  } catch (error) {
    return failed(error);
  }
  if (start.over) tellMoments(view);
  if (page.get("view") === view) page.set({ positions, last: start.spoilerFree ? page.get("last") : positions.last });
}

open();
