// @ts-check
/** A match in a frame of another page: the board, the bar, and one sentence of the story. */

import { byId } from "../base/dom.js";
import * as page from "../base/page.js";
import { Positions } from "../data/positions.js";
import { Vocabulary } from "../data/vocabulary.js";
import * as board from "../parts/board.js";
import * as panels from "../parts/panels.js";
import * as scrub from "../parts/scrub.js";

const { start } = page;

async function open() {
  const positions = new Positions(start.match, start.view);
  try {
    const [vocabulary] = await Promise.all([Vocabulary.load(start.vocabulary), positions.load(start.last)]);
    page.set({ vocabulary, over: start.over, view: start.view, move: 0, last: 0, since: 0, spoilerFree: false });
  } catch (error) {
    return scrub.failed(error);
  }
  for (const part of [board, panels, scrub]) part.mount();
  page.on(["move"], ({ move, view }) =>
    byId("whole").setAttribute("href", `/m/${start.match}?${new URLSearchParams({ move, view })}`));
  page.set({ positions, last: positions.last, move: Math.min(start.move, positions.last) });
  document.documentElement.dataset.ready = "true";
}

open();
