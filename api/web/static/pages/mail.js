// @ts-check
/** The page to which a message leads: one button that confirms an address, or ends notifications. */

import { byId, on } from "../base/dom.js";
import { t } from "../base/text.js";
import { Refusal, send } from "../data/api.js";

async function act() {
  const problem = byId("problem");
  problem.hidden = true;
  try {
    await send("POST", location.pathname, {});
    byId("ask").hidden = true;
    byId("done").hidden = false;
  } catch (error) {
    problem.textContent = error instanceof Refusal && error.status ? error.message : t("sign_no_answer");
    problem.hidden = false;
  }
}

on(document, "click", "[data-do=mail]", act);
document.documentElement.dataset.ready = "true";
