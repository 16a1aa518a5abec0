// @ts-check
/** What the player is asked: a list of all options, the same on board and hand, and what became of the answer. */

import { byId, h, on } from "../base/dom.js";
import { bind } from "../base/keys.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";

const MANY = 20, FILTERED = 9; // options, from which on they are grouped, or can be filtered
const AT_ONCE = "send-at-once";
const root = byId("question");
const said = h("p", { class: "live-region", "aria-live": "assertive" });
const state = h("div", { class: "question-state" }), problem = h("div", { class: "question-problem", role: "alert" });
const requests = h("div", { class: "question-request", role: "status" }), body = h("div", { class: "question-body" });
/** @type {HTMLElement | null} */
let menu = null;
let shown = "";

/** Show questions from now on. */
export function mount() {
  root.replaceChildren(requests, body, problem, state, said);
  if (page.start.own.length) root.append(more());
  page.set({ picks: [] });
  page.on(["question", "over", "last"], ask);
  page.on(["question", "picks", "sent", "connected", "move", "last", "frozen"], update);
  page.on(["problem"], ({ problem: found }) => explain(found));
  page.on(["request", "sent", "last"], showRequest);
  page.on(["clicked"], ({ clicked, pickable }) => clicked && pickable?.has(clicked.id) && choose(clicked.id));
  on(body, "click", "input[name=pick]", (input) => toggle(input.value));
  on(body, "input", "input[type=search]", (input) => filter(input.value));
  document.addEventListener("keydown", pressed);
  bind("1 2 3 4 5 6 7 8 9", "key_option", (event) => number(Number(event.key)), "1 … 9");
  bind("q", "key_question", () => /** @type {HTMLElement | null} */ (body.querySelector("input, button"))?.focus());
  ask(page.all());
  update(page.all());
}

// ── the list ──

/** Show another question. @param {Readonly<Record<string, any>>} now */
function ask({ question, over, positions, last }) {
  if (!question) return idle(over ? [] : (positions?.at(last)?.asked ?? []));
  const name = `${question.move} ${question.seat} ${question.ask} ${question.options.length} ${question.why}`;
  if (name === shown) return;
  shown = name;
  const inside = root.contains(document.activeElement);
  page.set({ picks: [] });
  body.replaceChildren(form(question));
  said.textContent = question.why;
  if (inside) /** @type {HTMLElement | null} */ (body.querySelector("input[name=pick]"))?.focus();
}

/** Nothing is asked of this player. @param {string[]} seats those who are asked */
function idle(seats) {
  shown = "";
  closeMenu();
  const names = seats.map((seat) => page.get("vocabulary").name(seat)).join(", ");
  body.replaceChildren(names ? h("p", { class: "asked" }, t("to_answer", { seats: names })) : "");
  if (page.get("picks").length) page.set({ picks: [] });
}

/** @param {any} question */
function form(question) {
  const fields = h("fieldset", {}, h("legend", {}, question.why), h("p", { class: "count" }));
  if (question.options.length > FILTERED) {
    fields.append(h("input", { type: "search", "aria-label": t("filter_options"), placeholder: t("filter_options") }));
  }
  fields.append(h("div", { class: `options ${numbers(question) ? "numbers" : ""}` }, ...lists(question)));
  const send = h("button", { type: "submit", class: "primary" }, t("send"));
  const clear = h("button", { type: "button", class: "clear", on: { click: () => page.set({ picks: [] }) } }, t("clear"));
  const made = h("form", { "data-question": question.move }, fields, h("div", { class: "sending" }, send, clear));
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  return made;
}

/** Are all options numbers? Then a key is the number itself. @param {any} question */
function numbers(question) {
  return question.options.every((/** @type {any} */ option) => /^\d+$/.test(option.label));
}

/** The options, in groups where there are many. @param {any} question */
function lists(question) {
  const one = (/** @type {any[]} */ options) => h("ul", {}, ...options.map((option) => line(question, option)));
  if (question.options.length <= MANY) return [one(question.options)];
  const words = page.get("vocabulary");
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const option of question.options) {
    const group = option.group ?? "";
    groups.set(group, [...(groups.get(group) ?? []), option]);
  }
  return [...groups].map(([group, options]) => {
    const name = group ? words.name(group) : t("other_options");
    return h("section", { class: "group", role: "group", "aria-label": name }, h("h3", {}, name), one(options));
  });
}

/** One option. @param {any} question @param {any} option */
function line(question, option) {
  const kind = question.most === 1 ? "radio" : "checkbox";
  return h("li", { class: "option", "data-text": option.label.toLowerCase() },
    h("label", {}, h("input", { type: kind, name: "pick", value: option.pick }), h("kbd", { class: "key", "aria-hidden": "true" }), " ",
      h("span", { class: "order", "aria-hidden": "true" }), h("span", { class: "option-name" }, option.label), " ", ...facts(option)));
}

/** What an option costs, and what the dice may bring. @param {any} option */
function facts(option) {
  const found = [];
  if (option.cost !== undefined) found.push(t("cost", { count: option.cost }));
  for (const part of option.pays ?? []) found.push(`${part.label} ${part.points}`);
  for (const { ways, of, label } of option.chances ?? []) found.push(`${ways}/${of}: ${label}`);
  return found.length ? [h("small", {}, `(${found.join(" · ")})`)] : [];
}

// ── picking ──

/** @param {string} pick */
function toggle(pick) {
  const { question, picks } = page.all();
  if (!ready()) return update(page.all());
  closeMenu();
  if (question.most === 1) {
    const again = picks[0] === pick;
    page.set({ picks: [pick] });
    if (again || localStorage.getItem(AT_ONCE) === "on") submit();
  } else if (picks.includes(pick)) page.set({ picks: picks.filter((/** @type {string} */ one) => one !== pick) });
  else if (picks.length < question.most) page.set({ picks: [...picks, pick] });
  else update(page.all());
}

/** May the player pick now? */
function ready() {
  const { question, sent } = page.all();
  return Boolean(question && !sent);
}

function submit() {
  const { question, picks, connected } = page.all();
  if (!ready() || !connected || picks.length < question.least) return;
  page.get("act")("play", { expect: question.move, picks });
}

/** Pick at a thing: its one option, or one of a small menu. @param {string} id */
function choose(id) {
  const { question } = page.all();
  const options = question.options.filter((/** @type {any} */ option) => option.about?.includes(id));
  if (options.length === 1) return toggle(options[0].pick);
  closeMenu();
  menu = h("div", { class: "thing-menu", role: "group", "aria-label": page.get("vocabulary").name(id) },
    ...options.map((/** @type {any} */ option) => h("button", { type: "button", on: { click: () => toggle(option.pick) } }, option.label)),
    h("button", { type: "button", class: "close", on: { click: () => closeMenu(id) } }, t("close")));
  document.body.append(menu);
  place(menu, thing(id));
  /** @type {HTMLElement} */ (menu.firstElementChild).focus();
}

/** What shows a thing on the board, or in a panel. @param {string} id @returns {HTMLElement | null} */
function thing(id) {
  return document.querySelector(`#board [data-id="${CSS.escape(id)}"], #panels button[data-id="${CSS.escape(id)}"]`);
}

/** @param {HTMLElement} element @param {Element | null} at */
function place(element, at) {
  const box = at?.getBoundingClientRect() ?? new DOMRect(), size = element.getBoundingClientRect();
  const left = Math.min(box.left, document.documentElement.clientWidth - size.width - 8);
  const top = box.bottom + size.height > innerHeight ? Math.max(8, box.top - size.height - 8) : box.bottom + 4;
  element.style.left = `${Math.max(8, left) + scrollX}px`;
  element.style.top = `${top + scrollY}px`;
}

/** @param {string} [back] the thing to which the focus returns */
function closeMenu(back) {
  const had = menu?.contains(document.activeElement);
  menu?.remove();
  menu = null;
  if (had && back) thing(back)?.focus();
}

/** @param {number} n */
function number(n) {
  const all = visible(), question = page.get("question");
  const same = question && numbers(question) && all.find((option) => option.dataset.text === String(n));
  const one = same || all[n - 1];
  const input = /** @type {HTMLInputElement | null | undefined} */ (one?.querySelector("input"));
  if (!input || input.disabled) return;
  toggle(input.value);
  input.focus();
}

function visible() {
  return [.../** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll(".option"))].filter((one) => !one.hidden);
}

/** @param {string} text */
function filter(text) {
  const sought = text.trim().toLowerCase();
  for (const option of /** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll(".option"))) {
    option.hidden = !option.dataset.text?.includes(sought);
  }
  for (const group of /** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll(".group"))) {
    group.hidden = !group.querySelector(".option:not([hidden])");
  }
  mark();
}

/** Enter sends, Escape takes the picks back. @param {KeyboardEvent} event */
function pressed(event) {
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && event.target === document.body && !event.defaultPrevented) submit();
  if (event.key !== "Escape") return;
  if (menu) closeMenu(page.get("clicked")?.id);
  else if (page.get("picks").length && !page.get("sent")) page.set({ picks: [] });
}

// ── what the panel shows ──

/** @param {Readonly<Record<string, any>>} now */
function update({ question, picks, sent, connected, move, last, frozen }) {
  root.classList.toggle("sent", Boolean(sent));
  root.setAttribute("aria-busy", String(Boolean(sent)));
  const things = (/** @type {string[]} */ wanted) => new Set((question?.options ?? []).flatMap(
    (/** @type {any} */ option) => (wanted.includes(option.pick) ? (option.about ?? []) : [])));
  const offered = question && !sent && connected && !frozen && move === last;
  page.set({
    pickable: things(offered ? question.options.map((/** @type {any} */ one) => one.pick) : []), picked: things(picks ?? []),
  });
  state.replaceChildren(...(sent ? [h("p", { class: "sent-line" }, t("sent"))] : []));
  if (question && move !== last) state.append(h("p", {}, t("looking_back", { move }), " ",
    h("button", { type: "button", on: { click: () => page.set({ move: page.get("last") }) } }, t("jump_now"))));
  if (question) mark();
}

/** Show what is picked, and what can be. */
function mark() {
  const { question, picks, sent, connected, frozen } = page.all(), fields = body.querySelector("fieldset");
  if (!question || !fields) return;
  fields.toggleAttribute("disabled", Boolean(sent || frozen));
  const full = question.most > 1 && picks.length >= question.most, several = question.most > 1;
  for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (fields.querySelectorAll("input[name=pick]"))) {
    const at = picks.indexOf(input.value);
    input.checked = at >= 0;
    input.disabled = full && at < 0;
    const order = input.parentElement?.querySelector(".order");
    if (order) order.textContent = question.ordered && at >= 0 ? `${at + 1}.` : "";
  }
  for (const key of fields.querySelectorAll(".key")) key.textContent = "";
  if (!numbers(question)) visible().slice(0, 9).forEach((one, n) => (/** @type {Element} */ (one.querySelector(".key")).textContent = String(n + 1)));
  const { least, most } = question, count = /** @type {Element} */ (fields.querySelector(".count"));
  const wanted = least === most ? t("pick_exactly", { count: most }) : t("pick_between", { least, most });
  count.textContent = several || least === 0 ? `${wanted} ${t("picked", { count: picks.length })}` : "";
  /** @type {HTMLElement} */ (body.querySelector(".clear")).hidden = !picks.length;
  const send = /** @type {HTMLButtonElement} */ (body.querySelector("[type=submit]"));
  send.disabled = Boolean(sent) || !connected || picks.length < least;
  send.textContent = picks.length || least ? t("send") : t("send_nothing");
}

/** Say why a command was refused, and what to do. @param {any} found */
function explain(found) {
  problem.replaceChildren();
  if (!found) return;
  const { kind, problem: told, message } = found.refusal, button = (/** @type {string} */ key, /** @type {string} */ what) =>
    h("button", { type: "button", on: { click: () => page.get("act")(what) } }, t(key));
  problem.append(h("p", {}, h("strong", {}, told.title ?? ""), told.title ? ": " : "", message, told.rule ? ` (${told.rule})` : ""));
  if (told.since?.length) problem.append(h("p", {}, t("since_then", { count: told.since.length, move: told.since.at(-1).move })));
  const waits = ["in-doubt", "unavailable", "limit"].includes(kind);
  if (kind === "in-doubt") problem.append(h("p", {}, t("in_doubt")));
  const again = button(kind === "in-doubt" ? "ask_again" : "send_again", "again");
  if (told.retry_after) hold(again, told.retry_after);
  problem.append(h("p", { class: "ways" }, ...(waits ? [again, button("change_answer", "forget")] : [button("understood", "forget")])));
}

/** A button can be used after some seconds. @param {HTMLElement} button @param {number} seconds */
function hold(button, seconds) {
  button.setAttribute("disabled", "");
  setTimeout(() => button.removeAttribute("disabled"), seconds * 1000);
}

// ── takebacks, resignation ──

/** What else a player may do. */
function more() {
  const item = (/** @type {string} */ key, /** @type {() => void} */ act) => h("button", { type: "button", on: { click: act } }, t(key));
  const once = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: localStorage.getItem(AT_ONCE) === "on" }));
  once.addEventListener("change", () => localStorage.setItem(AT_ONCE, once.checked ? "on" : "off"));
  const box = h("details", { class: "more" }, h("summary", {}, t("playing_more")),
    item("ask_takeback", () => page.get("act")("takeback")), item("resign", resign), h("label", {}, once, " ", t("send_at_once")));
  page.on(["over", "frozen"], ({ over, frozen }) => (box.hidden = Boolean(over || frozen)));
  box.hidden = Boolean(page.get("frozen"));
  return box;
}

/** Resign, in two steps. */
function resign() {
  const yes = h("button", { type: "button", class: "danger" }, t("resign_yes"));
  const no = h("button", { type: "button", class: "primary" }, t("resign_no"));
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-label": t("resign") }, h("h2", {}, t("resign")),
    h("p", {}, t("resign_ask")), h("div", { class: "ways" }, no, yes)));
  yes.addEventListener("click", () => (dialog.close(), page.get("act")("resign")));
  no.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** A takeback that waits for an answer. @param {Readonly<Record<string, any>>} now */
function showRequest({ request, sent }) {
  requests.replaceChildren();
  if (!request) return;
  const own = page.start.own, mine = own.includes(request.seat), name = page.get("vocabulary").name(request.seat);
  const item = (/** @type {string} */ key, /** @type {() => void} */ act) =>
    h("button", { type: "button", disabled: Boolean(sent), on: { click: act } }, t(key));
  const answer = (/** @type {boolean} */ agree) => () => page.get("act")("answer_takeback", { request: request.move, agree });
  const ways = [item("show_position", () => page.set({ move: request.to, pushed: true }))];
  if (own.some((/** @type {string} */ seat) => seat !== request.seat)) ways.unshift(item("agree", answer(true)), item("decline", answer(false)));
  requests.append(h("p", {}, t(mine && own.length === 1 ? "you_asked_back" : "asks_back", { name, move: request.to })), h("p", { class: "ways" }, ...ways));
}
