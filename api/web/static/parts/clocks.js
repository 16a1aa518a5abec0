// @ts-check
/** The clocks in the heading of a match: those of the move that is shown; they run while that is the latest one. */

import * as page from "../base/page.js";
import { keepClocks, showClocks } from "../data/clocks.js";

/** Show them from now on. */
export function followClocks() {
  keepClocks(page.start.now);
  page.on(["move", "last", "positions", "over"], ({ move, last, positions, over }) => {
    const clock = positions?.at(move)?.clock, stands = document.getElementById("stands");
    if (!clock) return;
    showClocks(document, clock, !over && move === last);
    if (stands) stands.hidden = clock.stands !== "paused";
  });
}
