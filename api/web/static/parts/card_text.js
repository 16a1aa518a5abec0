// @ts-check
/** The text of a card on demand: while a pointer rests on it or the focus is there, and at a tap. */

import { h, on } from "../base/dom.js";
import * as page from "../base/page.js";

const REST = 300; // milliseconds of a pointer over a card until its text is shown, and until it goes again
const AT = "#panels button[data-id], #moves [data-id]";
const box = h("div", { class: "card-text", role: "tooltip", id: "card-text", hidden: true });
/** @type {number | undefined} */
let waiting;
/** @type {Element | null} */
let shown = null;

/** Show texts from now on. */
export function mount() {
  document.body.append(box);
  on(document, "pointerover", AT, (thing, event) => event.pointerType === "mouse" && wait(() => show(thing)));
  on(document, "pointerout", AT, () => wait(hide));
  on(document, "focusin", AT, (thing) => thing.matches(":focus-visible") && show(thing));
  on(document, "focusout", AT, hide);
  on(document, "click", AT, show);
  document.addEventListener("pointerdown", (event) => box.contains(/** @type {Node} */ (event.target)) || hide());
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  box.addEventListener("pointerenter", () => clearTimeout(waiting));
  box.addEventListener("pointerleave", () => wait(hide));
}

/** @param {() => void} act */
function wait(act) {
  clearTimeout(waiting);
  waiting = setTimeout(act, REST);
}

/** @param {HTMLElement} thing */
function show(thing) {
  clearTimeout(waiting);
  const words = page.get("vocabulary"), id = thing.dataset.id ?? "", card = words.cards[id];
  if (!card?.text || !thing.isConnected) return hide();
  shown?.removeAttribute("aria-describedby");
  shown = thing;
  thing.setAttribute("aria-describedby", box.id);
  const kinds = (card.kinds ?? []).map((/** @type {string} */ kind) => words.name(kind)).join(", ");
  box.replaceChildren(h("h4", {}, words.name(id)), kinds ? h("p", { class: "card-kind" }, kinds) : "", h("p", {}, card.text));
  box.hidden = false;
  const at = thing.getBoundingClientRect(), size = box.getBoundingClientRect(), wide = document.documentElement.clientWidth;
  const above = at.bottom + size.height + 8 > innerHeight && at.top > size.height + 8;
  box.style.left = `${Math.max(8, Math.min(at.left, wide - size.width - 8)) + scrollX}px`;
  box.style.top = `${(above ? at.top - size.height - 6 : at.bottom + 6) + scrollY}px`;
}

function hide() {
  clearTimeout(waiting);
  shown?.removeAttribute("aria-describedby");
  shown = null;
  box.hidden = true;
}
