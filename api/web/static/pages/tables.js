// @ts-check
/** Pages of tables: a click on the head of a column sorts by it, and times are said as times ago. */

import { keepTimes } from "../data/times.js";
import { sortTables } from "../parts/tables.js";

sortTables();
keepTimes();
document.documentElement.dataset.ready = "true";
