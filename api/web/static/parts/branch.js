// @ts-check
/** What if: a match of its own that goes on from the position on show, and the ones that are there. */

import { h } from "../base/dom.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";
import { read, Refusal, send } from "../data/api.js";

/** Show the dialog. */
export function branch() {
  const move = page.get("move");
  const outcome = h("p", { class: "outcome", role: "status" });
  const open = h("button", { type: "button", class: "primary" }, t("branch_open", { move }));
  open.addEventListener("click", async () => {
    outcome.textContent = "";
    try {
      const { match } = await send("POST", `/v1/matches/${page.start.match}/branches`, { at: move });
      location.assign(`/m/${match}/sit`);
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) signIn(move);
      else outcome.textContent = error instanceof Error ? error.message : String(error);
    }
  });
  const list = h("ul", { class: "branches" });
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "branch", "aria-label": t("branch") },
    h("h2", {}, t("branch")), h("p", {}, t("branch_about")), open, outcome, list,
    h("button", { type: "button", on: { click: () => dialog.close() } }, t("close"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  tell(list);
}

/** Come back to this position after signing in. @param {number} move */
function signIn(move) {
  location.assign(`/in?next=${encodeURIComponent(`/m/${page.start.match}?move=${move}`)}`);
}

/** The latest branches of the match. @param {HTMLElement} list */
async function tell(list) {
  const { matches } = await read(`/v1/matches/${page.start.match}/branches?limit=20`);
  for (const row of matches) {
    list.append(h("li", {}, h("a", { href: `/m/${row.match}` }, t("branch_from", { move: row.branch_at, match: row.match }))));
  }
}
