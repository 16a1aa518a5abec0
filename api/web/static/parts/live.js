// @ts-check
/** A match while it runs: moves as they come, what the player is asked, and the commands that the page sends. */

import { byId, h } from "../base/dom.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";
import { read } from "../data/api.js";
import { Line } from "../data/socket.js";

const PATIENCE = 2_000; // milliseconds until the page says that the connection is lost
const SEATING = ["seated", "salt_opened"]; // moves before the first question; the heading says who sits, and whether play has begun
const path = `/v1/matches/${page.start.match}`, title = document.title;
const banner = h("p", { class: "notice link", role: "status", hidden: true });
/** @type {Line} */
let line;
let loading = false, carriedOut = 0;
/** @type {number | undefined} */
let late;

/** Follow the match from now on. */
export function mount() {
  byId("question").before(banner);
  page.set({ question: null, sent: null, problem: null, request: null, link: "", frozen: page.start.frozen, act });
  page.on(["positions"], ({ positions }) => positions && line && line.follow());
  page.on(["link", "last"], showLink);
  page.on(["frozen"], showFrozen);
  page.on(["last", "request"], ({ last, positions }) => look(positions.at(last)));
  page.on(["question", "last"], ({ question }) => (document.title = question ? `● ${t("your_turn")} · ${title}` : title));
  line = new Line(page.start.match, {
    after: () => page.get("positions").last,
    view: () => viewed(page.get("positions").view),
    pushed,
    asked,
    became,
    answered,
  });
  page.set({ sent: line.pending });
  look(page.get("positions").at(page.get("last")));
}

/**
 * Send a command; `again` sends once more what was not carried out, `forget` gives it up.
 * @param {string} what
 * @param {Record<string, any>} [fields]
 */
function act(what, fields = {}) {
  page.set({ problem: null });
  if (what === "forget") line.forget();
  else if (what === "again") line.resend();
  else line.command(what, fields);
  page.set({ sent: line.pending });
}

/** The own seat is followed without its name: players may change places. @param {string} view */
function viewed(view) {
  return page.start.own.length === 1 && view === page.start.own[0] ? undefined : view;
}

/** The seats have other players now, or the player another seat, so the page is another one. */
function changedPlaces() {
  const address = new URL(location.href);
  for (const name of ["view", "move"]) address.searchParams.delete(name);
  location.replace(address);
}

/** @type {string | undefined} the seat that the player played after the latest move, if it is not the one they took first */
let played;
let first = true;

/** A move came. @param {any} move */
function pushed(move) {
  const positions = page.get("positions"), { position } = move;
  if (loading || position.move <= positions.last) return;
  if (SEATING.includes(move.kind)) return changedPlaces();
  if ((move.view && !page.start.own.includes(move.view) && viewed(positions.view) === undefined) || (!first && move.view !== played)) {
    return changedPlaces();
  }
  [first, played] = [false, move.view];
  if (position.move > positions.last + 1) return catchUp();
  positions.add(position);
  if (["frozen", "released", "closed"].includes(move.kind)) page.set({ frozen: move.kind === "frozen" ? move.reason : null });
  showLast();
}

/** Load the moves that are missing, and follow from there. */
async function catchUp() {
  loading = true;
  try {
    await page.get("positions").load();
    showLast();
    page.set({ frozen: (await read(path)).frozen?.reason ?? null });
  } catch {
    // the next move tries again
  }
  loading = false;
  line.follow();
}

/** Show the latest move to one who looked at the latest. */
function showLast() {
  const { last } = page.get("positions"), stays = page.get("move") !== page.get("last");
  page.set(stays ? { last } : { last, move: last });
  if (carriedOut && last >= carriedOut) page.set({ sent: line.pending });
}

/** @param {any} question @param {any} [position] see `Hooks` */
function asked(question, position) {
  const known = page.get("question");
  if (question && !page.start.own.includes(question.seat)) return changedPlaces();
  const stays = !question && known && position?.asked.includes(known.seat) && position.seat !== known.seat;
  if (!stays) page.set({ question: kept(question) });
}

/** The same question as before stays the same object, so that what was picked stays. @param {any} question */
function kept(question) {
  const known = page.get("question");
  return JSON.stringify(known) === JSON.stringify(question) ? known : question;
}

/** What became of a command. @param {any} command @param {any} refusal @param {any} done */
function answered(command, refusal, done) {
  carriedOut = done?.move ?? 0;
  if (!refusal && carriedOut > page.get("positions").last) return; // it stays sent until its move comes
  page.set({ sent: null, problem: refusal && { refusal, command } });
  if (refusal) line.ask();
}

/** @param {string} state */
function became(state) {
  if (state === "lost") late ??= setTimeout(() => page.set({ link: "lost" }), PATIENCE); // attempts that fail do not put it off
  else {
    clearTimeout(late);
    late = undefined;
    page.set({ link: state, ...(state === "over" ? { over: true, question: null, sent: null } : {}) });
  }
  page.set({ connected: state === "live" });
}

/** Say that an organizer has frozen the match, and why. @param {Readonly<Record<string, any>>} state */
function showFrozen({ frozen }) {
  const notice = byId("frozen");
  notice.hidden = frozen === null;
  if (frozen !== null) notice.textContent = t("frozen_now", { reason: frozen });
}

/** @param {Readonly<Record<string, any>>} state */
function showLink({ link, last }) {
  banner.hidden = link === "live" || link === "";
  if (link === "lost") banner.replaceChildren(t("link_lost", { move: last }));
  if (link === "out") banner.replaceChildren(t("signed_out"), " ", h("a", { href: "/in" }, t("sign_in")));
  if (link === "over") banner.replaceChildren(t("now_over"), " ", h("a", { href: location.pathname }, t("to_replay")));
}

/** Is a takeback asked for with this move, the latest? @param {any} move */
async function look(move) {
  if (move?.kind !== "takeback_asked") return page.set({ request: null });
  if (page.get("request")?.move === move.move) return;
  try {
    const { request } = await read(path);
    if (page.get("last") === move.move) page.set({ request: request ?? null });
  } catch {
    // the sentence of the move says what is asked; without its number it cannot be answered
  }
}
