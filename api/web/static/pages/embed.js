// @ts-check
/** A match in a frame of another page: the board, the bar, and one sentence of the story; it follows a match that runs. */

import { byId } from "../base/dom.js";
import * as page from "../base/page.js";
import { Positions } from "../data/positions.js";
import { Vocabulary } from "../data/vocabulary.js";
import * as board from "../parts/board.js";
import * as panels from "../parts/panels.js";
import * as scrub from "../parts/scrub.js";

const { start } = page;
const FIRST = 1_000, LONGEST = 30_000; // milliseconds between two attempts to follow

async function open() {
  const positions = new Positions(start.match, start.view);
  try {
    const [vocabulary] = await Promise.all([Vocabulary.load(start.vocabulary), positions.load(start.last)]);
    page.set({ vocabulary, over: start.over, view: start.view, move: 0, last: 0, since: 0, spoilerFree: false });
  } catch (error) {
    return scrub.failed(error);
  }
  page.on(["inWords"], async ({ inWords }) => inWords && (await import("../parts/in_words.js")).mount());
  for (const part of [board, panels, scrub]) part.mount();
  page.on(["move"], ({ move, view }) =>
    byId("whole").setAttribute("href", `/m/${start.match}?${new URLSearchParams({ move, view })}`));
  page.set({ positions, last: positions.last, move: Math.min(start.move, positions.last) });
  if (start.clock) (await import("../parts/clocks.js")).followClocks();
  if (!start.over) follow(positions);
  document.documentElement.dataset.ready = "true";
}

/** Follow the match to its end, over as many connections as it takes. @param {Positions} positions */
async function follow(positions) {
  for (let pause = FIRST; !page.get("over"); pause = Math.min(LONGEST, pause * 2)) {
    const before = positions.last;
    try {
      await stream(positions);
    } catch {
      // the connection broke
    }
    if (positions.last > before) pause = FIRST;
    if (!page.get("over")) await new Promise((resolve) => setTimeout(resolve, pause * (0.75 + Math.random() / 2)));
  }
}

/**
 * Take the moves of one event stream.  An `EventSource` and a socket would send the cookies of this server where
 * the page around the frame is of the same site; a request need not.
 * @param {Positions} positions
 */
async function stream(positions) {
  const query = new URLSearchParams({ view: start.view, after: String(positions.last), scene: "true", sentences: "true" });
  const headers = { Accept: "text/event-stream", "Accept-Language": document.documentElement.lang };
  const answer = await fetch(`/v1/matches/${start.match}/moves?${query}`, { headers, credentials: "omit" });
  if (!answer.ok || !answer.body) return;
  if (answer.status === 204) return page.set({ over: true }); // it is over, and every move is here
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) take(positions, JSON.parse(line.slice("data: ".length)));
  }
}

/** A move came: it is shown to those who look at the latest. @param {Positions} positions @param {any} move */
function take(positions, move) {
  positions.add(move.position);
  const { last } = positions, stays = page.get("move") !== page.get("last");
  page.set({ last, ...(stays ? {} : { move: last }), over: move.kind === "closed" });
}

open();
