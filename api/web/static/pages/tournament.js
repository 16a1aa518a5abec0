// @ts-check
/** Pages of a tournament: tables that can be sorted, times as times ago, and clocks that run. */

import { byId } from "../base/dom.js";
import { keepClocks } from "../data/clocks.js";
import { keepTimes } from "../data/times.js";
import { sortTables } from "../parts/tables.js";

sortTables();
keepTimes();
keepClocks(JSON.parse(byId("state").textContent ?? "{}").now ?? null);
document.documentElement.dataset.ready = "true";
