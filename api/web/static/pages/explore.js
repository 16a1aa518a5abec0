// @ts-check
/** The explorer of openings: a node of the tree unfolds where it stands. */

import { amount } from "../base/chart.js";
import { byId, h } from "../base/dom.js";
import { t } from "../base/text.js";
import { read, Refusal } from "../data/api.js";
import { Vocabulary } from "../data/vocabulary.js";
import { drawRates, drawTables } from "../parts/table_charts.js";
import { sortTables } from "../parts/tables.js";

const state = JSON.parse(byId("state").textContent ?? "{}");
const { path: _, ...chosen } = state.given;
/** @type {Promise<any> | undefined} asked for when the first node unfolds */
let vocabulary;

/** What an address or a request says beside the path. @param {string} path */
function query(path) {
  const given = Object.entries(chosen).filter(([, value]) => value);
  return new URLSearchParams([["path", path], ...given]);
}

/** A label in words, as the page itself shows it. @param {any} words @param {string} label */
function named(words, label) {
  return label.split(":").filter(Boolean).map((part) => part.split("+").map((id) => words.field(id)).join(" + ")).join(" · ");
}

/** @param {any} words @param {string} path @param {any} node @param {number} whole */
function line(words, path, node, whole) {
  const below = `${path}/${node.label}`;
  const item = h("li", { "data-path": below }, h("div", { class: "twig" },
    h("a", { href: `?${query(below)}` }, named(words, node.label)), " ",
    amount(node.n / whole), " ",
    h("a", { class: "count", href: `?${query(below)}&matches=1` }, node.n)));
  unfoldable(item);
  return item;
}

/** Fetch what comes after a node, and show it below the node. @param {HTMLElement} item */
async function unfold(item) {
  const path = item.dataset.path ?? "";
  vocabulary ??= Vocabulary.load(state.vocabulary);
  const [words, answer] = await Promise.all([vocabulary, read(`/v1/explorer?game=${state.game}&${query(path)}`)]);
  const { children, n } = answer.node;
  item.append(children.length
    ? h("ul", { class: "tree" }, ...children.map((/** @type {any} */ node) => line(words, path, node, n)))
    : h("p", { class: "hint below" }, t("explore_nothing")));
}

/** Put a button before a node that shows and hides what is below it. @param {HTMLElement} item */
function unfoldable(item) {
  const name = item.querySelector("a")?.textContent ?? "";
  const button = h("button", { type: "button", class: "unfold", "aria-expanded": "false", "aria-label": t("explore_unfold", { name }) });
  button.addEventListener("click", async () => {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    const below = item.querySelector(":scope > ul, :scope > .below");
    if (below) /** @type {HTMLElement} */ (below).hidden = isOpen;
    else await unfold(item).catch((problem) => {
      if (!(problem instanceof Refusal)) throw problem;
      item.append(h("p", { class: "hint below" }, problem.message));
    });
  });
  item.firstElementChild?.prepend(button);
}

for (const item of document.querySelectorAll("[data-tree] > li")) unfoldable(/** @type {HTMLElement} */ (item));
sortTables();
drawTables();
drawRates();
document.documentElement.dataset.ready = "true";
