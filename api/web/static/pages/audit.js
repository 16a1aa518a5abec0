// @ts-check
/** The page of an audit: filters, draws computed again, the match file checked here, the server's word. */

import { byId, h, on } from "../base/dom.js";
import { showAddress, start } from "../base/page.js";
import { t, utcTime } from "../base/text.js";
import { read } from "../data/api.js";

/** The verifier of verify.html, a script of its own: it hashes without the help of a secure context. */
const verifier = /** @type {any} */ (globalThis).GlasnostVerifier;
const table = byId("moves");
const rows = /** @type {HTMLElement[]} */ ([...table.querySelectorAll("tbody tr")]);
const form = /** @type {HTMLFormElement} */ (byId("filters"));
const secret = start.secret ? new verifier.Secret(verifier.unb64(start.secret), start.match) : null;

// ── filters: they stand in the address, so that a dispute can be sent ──

const FILTERS = {
  seat: (/** @type {DOMStringMap} */ data, /** @type {string} */ wanted) => data.seat === wanted,
  kind: (/** @type {DOMStringMap} */ data, /** @type {string} */ wanted) => data.kind === wanted,
  think: (/** @type {DOMStringMap} */ data, /** @type {string} */ wanted) => Number(data.think ?? -1) > Number(wanted),
  draws: (/** @type {DOMStringMap} */ data) => "draws" in data,
  refused: (/** @type {DOMStringMap} */ data) => "refused" in data,
  undone: (/** @type {DOMStringMap} */ data) => "undone" in data,
};

/** @returns {Record<string, string>} the filters that are set */
function wanted() {
  const found = /** @type {[string, string][]} */ ([...new FormData(form)].filter(([, value]) => value !== ""));
  return Object.fromEntries(found);
}

function filter() {
  const set = wanted(), names = /** @type {(keyof typeof FILTERS)[]} */ (Object.keys(FILTERS));
  let count = 0;
  for (const row of rows) {
    const shown = names.every((name) => !(name in set) || FILTERS[name](row.dataset, set[name]));
    row.hidden = !shown;
    if (shown) count += 1;
  }
  byId("count").textContent = t("audit_count", { count });
  return set;
}

function readFilters() {
  const given = new URL(location.href).searchParams;
  for (const field of /** @type {HTMLInputElement[]} */ ([...form.elements])) {
    if (field.type === "checkbox") field.checked = given.has(field.name);
    else if (given.has(field.name)) field.value = given.get(field.name) ?? "";
  }
  filter();
}

function changed() {
  const set = filter(), all = Object.keys(FILTERS).map((name) => [name, set[name] ?? null]);
  showAddress(Object.fromEntries(all));
}

// ── draws ──

/** The key of a draw; null as long as it is closed. @param {any} draw */
function keyOf(draw) {
  if (draw.forced) return null;
  if (secret) return draw.period ? secret.openKey(draw.period) : secret.drawKey;
  return start.keys[draw.period] ? verifier.unb64(start.keys[draw.period]) : null;
}

/** @param {any} draw @returns {any} the computation; null if its key is closed */
function compute(draw) {
  const key = keyOf(draw);
  if (!key) return null;
  const found = verifier.drawn(key, start.salts, draw.label, draw.counter, draw.n);
  return { ...found, key: verifier.b64(key), same: found.result === BigInt(draw.result) };
}

/** Show how a draw is computed, step by step. @param {HTMLElement} item */
function show(item) {
  const row = /** @type {HTMLElement} */ (item.closest("tr"));
  const draw = start.draws[row.dataset.move ?? ""][Number(item.dataset.draw)], found = compute(draw);
  const lines = found ? working(draw, found) : [["audit_key_of", draw.forced ? t("audit_forced") : t("audit_closed")]];
  const state = found ? (found.same ? "ok" : "wrong") : "note";
  item.append(
    h("span", { "data-state": state, class: "answer" }, t(`audit_draw_${state}`)),
    h("dl", { class: "working" }, ...lines.flatMap(([name, value]) => [h("dt", {}, t(name)), h("dd", {}, value)])));
}

/** @param {any} draw @param {any} found @returns {string[][]} */
function working(draw, found) {
  return [
    ["audit_key_of", `${found.key} (${draw.period ? t("audit_period", { period: draw.period }) : t("audit_secret")})`],
    ["audit_message", found.message],
    ["audit_word_of", `${found.word}${found.rejected ? ` (${t("audit_rejected", { count: found.rejected })})` : ""}`],
    ["audit_result", `${found.word} mod ${draw.n} = ${found.result}`],
  ];
}

function recomputeAll() {
  const draws = /** @type {any[]} */ (Object.values(start.draws)).flat(), found = draws.map(compute).filter(Boolean);
  const same = found.filter((one) => one.same).length, place = byId("recomputed");
  place.textContent = t("audit_recomputed", { same, count: found.length, closed: draws.length - found.length });
  place.dataset.state = same === found.length ? "ok" : "wrong";
}

// ── the file here, and the server's word ──

async function check() {
  const button = /** @type {HTMLButtonElement} */ (byId("check"));
  button.disabled = true;
  byId("outcome").replaceChildren(...told("audit_here", "note", t("audit_checking")));
  const lines = [...(await here()), ...(await there())];
  byId("outcome").replaceChildren(...lines);
  button.disabled = false;
}

/** @param {string} name @param {string} state @param {string} text @param {string} [title] */
function told(name, state, text, title) {
  return [h("dt", {}, t(name)), h("dd", { "data-state": state, "data-line": name, title }, text)];
}

/** What the verifier in this page says of the match file. */
async function here() {
  try {
    const answer = await fetch(`/v1/matches/${start.match}/file`);
    if (!answer.ok) return told("audit_here", "note", t("audit_no_file"));
    const keys = /** @type {HTMLInputElement} */ (byId("key")).value;
    const report = await verifier.verify(new Uint8Array(await answer.arrayBuffer()), { keys });
    const [first] = report.failures, signature = report.rows.get("signature");
    const text = first ? t("audit_wrong", { move: first.move ?? "–", id: first.id }) : t("audit_right");
    const signed = signature.id === "signature-ok" ? "audit_signed" : "audit_unsigned";
    const by = safe(signature.values.by ?? signature.values.named ?? "");
    return [...told("audit_here", first ? "wrong" : "ok", text), ...told("audit_signature", signature.state, t(signed, { by }))];
  } catch (error) {
    return told("audit_here", "wrong", error instanceof verifier.Wrong ? t("audit_bad_key") : String(error));
  }
}

/** Text of a file, without signs that turn its direction. @param {string} text */
function safe(text) {
  return text.slice(0, 300).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
}

/** What the server says. */
async function there() {
  try {
    const said = await read(`/v1/matches/${start.match}/verification`);
    const text = said.checks.map((/** @type {any} */ one) => {
      const move = one.move === null ? "" : ` ${t("audit_at", { move: one.move })}`;
      return `${t(`audit_question_${one.check}`)}: ${t(`audit_outcome_${one.state}`)}${move}${one.said ? ` (${one.said})` : ""}`;
    });
    return told("audit_there", said.ok ? "ok" : "wrong", text.join(" · "), said.notes.join("\n"));
  } catch (error) {
    return told("audit_there", "note", String(/** @type {Error} */ (error).message));
  }
}

// ── refusals: for organizers ──

async function refusals() {
  const { refusals: all } = await read(`/v1/refusals?match=${start.match}&limit=1000`);
  for (const one of all.reverse()) {
    const row = document.getElementById(`m${(one.move ?? 0) + 1}`) ?? rows.at(-1);
    if (!row) continue;
    row.dataset.refused = "";
    const time = one.at ? utcTime(one.at) : "";
    row.querySelector(".refused")?.append(h("div", { title: time }, [one.kind, one.seat].filter(Boolean).join(" · ")));
  }
  filter();
}

for (const id of ["check", "print", "recompute", "filters", "key-field"]) byId(id).hidden = false;
for (const option of form.querySelectorAll("[name=kind] option[value]:not([value=''])")) {
  option.textContent = t(`audit_kind_${option.getAttribute("value")}`);
}
for (const item of table.querySelectorAll("[data-draw]")) {
  item.append(h("button", { type: "button", class: "again" }, t("audit_recompute")));
}
on(table, "click", ".again", (button) => {
  const item = button.closest("[data-draw]");
  button.remove();
  show(item);
});
form.addEventListener("change", changed);
form.addEventListener("submit", (event) => event.preventDefault());
byId("print").addEventListener("click", () => window.print());
byId("recompute").addEventListener("click", recomputeAll);
byId("check").addEventListener("click", check);
readFilters();
if (document.getElementById("ruling")) import("../parts/ruling.js");
if (table.dataset.organizes !== undefined) refusals().catch(() => filter());
document.documentElement.dataset.ready = "true";
