// @ts-check
/** Answers of saved queries: charts of their tables, which a click on the head of a column sorts. */

import { drawRates, drawTables } from "../parts/table_charts.js";
import { sortTables } from "../parts/tables.js";

sortTables();
drawTables();
drawRates();
document.documentElement.dataset.ready = "true";
