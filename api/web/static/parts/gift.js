// @ts-check
/** Time that a player gives to the other seat of a match with a clock. */

import { byId, h } from "../base/dom.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";

const MINUTE = 60_000_000; // microseconds
const GIFTS = { "give_minutes": 15 * MINUTE, "give_day": 1440 * MINUTE };

/** Put the buttons that give time to the opponent to what else a player may do. */
export function mount() {
  const own = page.start.own, others = page.start.seats.filter((/** @type {any} */ seat) => !own.includes(seat.id));
  if (others.length !== 1) return;
  const give = (/** @type {number} */ more) => page.get("act")("clock", { seat: others[0].id, more });
  byId("question").querySelector(".more")?.append(
    ...Object.entries(GIFTS).map(([key, more]) => h("button", { type: "button", on: { click: () => give(more) } }, t(key))));
}
