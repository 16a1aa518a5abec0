// @ts-check
/** What else was possible: the question that the shown move answered, and all its options. */

import { h } from "../base/dom.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";
import { read } from "../data/api.js";

const path = `/v1/matches/${page.start.match}`;

/** Offer it in the line of the shown move, from now on. */
export function mount() {
  page.on(["move", "last", "positions", "moments"], offer);
  offer(page.all());
}

/** @param {Readonly<Record<string, any>>} state */
function offer({ move, positions }) {
  const told = positions?.at(move), line = document.querySelector(`#moves .move[data-move="${move}"]`);
  for (const old of document.querySelectorAll("#moves .possible")) if (old.parentElement !== line) old.remove();
  if (!line || line.querySelector(".possible") || told?.kind !== "played" || !page.start.views.includes(told.seat)) return;
  const box = h("details", { class: "possible" }, h("summary", {}, t("possible")));
  box.addEventListener("toggle", () => show(box, move, told.seat), { once: true });
  box.addEventListener("click", (event) => event.stopPropagation());
  line.append(box);
}

/** @param {HTMLElement} box @param {number} move @param {string} seat */
async function show(box, move, seat) {
  try {
    const [question, { moves }] = await Promise.all([
      read(`${path}/prompt?at=${move - 1}&view=${seat}`), read(`${path}/moves?after=${move - 1}&limit=1&view=${seat}`)]);
    const picks = moves[0].picks ?? [];
    box.append(h("p", {}, question.why), h("ul", {}, ...question.options.map((/** @type {any} */ option) => {
      const was = picks.includes(option.pick);
      return h("li", { class: was ? "was-picked" : "", "data-id": option.about?.[0] }, was ? "✓ " : "", option.label);
    })));
  } catch (error) {
    box.append(h("p", {}, t("load_failed", { problem: /** @type {Error} */ (error).message })));
  }
}
