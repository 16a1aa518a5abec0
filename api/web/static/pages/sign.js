// @ts-check
/** The page where a player signs in and out. A token is only ever in a field of a form, and is sent in a body. */

import { byId, on } from "../base/dom.js";
import { localTime, t, utcTime } from "../base/text.js";
import { Refusal, send } from "../data/api.js";

const start = JSON.parse(byId("state").textContent ?? "{}");
const CODE = /^#([A-Za-z0-9_-]{22})$/;
const TOKEN = /[A-Za-z0-9_-]{43}/;
const LARGEST = 10_000; // bytes of a file with a token
let code = "";

/** @type {Record<string, (button: HTMLElement) => unknown>} */
const DEEDS = {
  redeem,
  "sign-out": signOut,
  "make-link": makeLink,
  copy,
  end: endSession,
  replace: () => show("replace-really"),
  "replace-really": replaceToken,
  save: saveFile,
  show: reveal,
  "open-file": () => byId("file").click(),
};

/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (byId(id));
/** @param {string} form @param {string} name */
const input = (form, name) => /** @type {HTMLInputElement} */ (byId(form).querySelector(`[name=${name}]`));
/** @param {string} deed */
const show = (deed) => document.querySelector(`[data-do=${deed}]`)?.removeAttribute("hidden");

/** Do something, one thing at a time; what the server refuses is said in words. @param {() => unknown} act */
async function attempt(act) {
  if (document.body.hasAttribute("aria-busy")) return;
  const problem = byId("problem");
  problem.hidden = true;
  document.body.setAttribute("aria-busy", "true");
  try {
    await act();
  } catch (error) {
    if (start.player && error instanceof Refusal && error.status === 401) location.replace("/in"); // signed out meanwhile
    problem.textContent = error instanceof Refusal && error.status ? error.message : t("sign_no_answer");
    problem.hidden = false;
    problem.scrollIntoView({ block: "nearest" });
  }
  document.body.removeAttribute("aria-busy");
}

/** Sign in, and go on to where the reader came from. @param {Record<string, string>} how */
async function enter(how) {
  await send("POST", "/v1/sessions", how);
  for (const one of document.querySelectorAll("form")) one.reset();
  location.replace(start.next);
}

/** Use the link; if that is refused, the other ways are there. */
async function redeem() {
  try {
    await enter({ code });
  } catch (error) {
    showWays(true);
    throw error;
  }
}

/** @param {boolean} shown either the ways to sign in, or the link that was opened */
function showWays(shown) {
  byId("link").hidden = shown;
  for (const id of ["title", "ways"]) document.getElementById(id)?.toggleAttribute("hidden", !shown);
}

async function signOut() {
  await send("DELETE", "/v1/sessions/current", {});
  location.replace("/in");
}

/** A new player: the token stands in a form that the password manager knows. */
async function become() {
  const made = await send("POST", "/v1/players", { name: input("new", "name").value });
  keep(input("new", "name").value.trim(), made.token);
  byId("ways").hidden = true;
}

/** @param {string} name @param {string} token */
function keep(name, token) {
  input("keep", "username").value = name;
  input("keep", "token").value = token;
  byId("kept").hidden = false;
  byId("kept").scrollIntoView({ block: "nearest" });
  input("keep", "token").focus();
}

/** The old token and all sessions end, so this device signs in again. */
async function replaceToken() {
  const made = await send("POST", `/v1/players/${start.player}/token`, {});
  keep(start.name, made.token);
  await send("POST", "/v1/sessions", { token: made.token });
  for (const row of byId("sessions").querySelectorAll("li:not(:has(.here))")) row.remove();
  for (const button of document.querySelectorAll("[data-do^=replace]")) button.setAttribute("hidden", "");
}

function saveFile() {
  const name = input("keep", "username").value, token = input("keep", "token").value;
  const text = `${t("sign_file_text", { name, server: location.origin })}\n\n${token}\n`;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = `glasnost-${name.replace(/[^\p{L}\p{N}]+/gu, "-")}.txt`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** @param {File | undefined} file */
async function openFile(file) {
  const found = file && file.size <= LARGEST ? TOKEN.exec(await file.text()) : null;
  if (!found) throw new Refusal(1, { detail: t("sign_file_without_token") });
  input("known", "token").value = found[0];
  input("known", "token").focus();
}

/** @param {HTMLElement} button */
function reveal(button) {
  const token = input("keep", "token"), hidden = token.type === "password";
  token.type = hidden ? "text" : "password";
  button.setAttribute("aria-pressed", String(hidden));
}

async function makeLink() {
  const made = await send("POST", "/v1/sessions/links", {});
  field("address").value = made.address;
  byId("qr").setAttribute("src", `data:image/svg+xml,${encodeURIComponent(made.qr)}`);
  byId("until").textContent = t("sign_link_until", { time: localTime(made.expires) });
  byId("made").hidden = false;
}

/** Where the browser does not let a page copy, the address is selected. @param {HTMLElement} button */
async function copy(button) {
  field("address").select();
  if (!navigator.clipboard) return;
  await navigator.clipboard.writeText(field("address").value);
  button.textContent = t("copied");
}

/** @param {HTMLElement} button */
async function endSession(button) {
  const row = button.closest("li");
  await send("DELETE", `/v1/sessions/${row?.dataset.session}`, {});
  row?.remove();
  byId("sessions").focus();
}

/** The code of a link leaves the address at once: it belongs into no history. It is used on a click alone. */
function takeCode() {
  code = CODE.exec(location.hash)?.[1] ?? "";
  if (!code) return;
  history.replaceState(null, "", location.pathname + location.search);
  for (const link of document.querySelectorAll("[data-language]")) link.setAttribute("href", `${link.getAttribute("href")}#${code}`);
  showWays(false);
}

/** @param {string} id @param {() => unknown} act */
function submits(id, act) {
  document.getElementById(id)?.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(act);
  });
}

submits("new", become);
submits("known", () => enter({ token: input("known", "token").value.trim() }));
submits("keep", () => (start.player ? location.replace("/in") : enter({ token: input("keep", "token").value })));
on(document, "click", "[data-do]", (button) => attempt(() => DEEDS[button.dataset.do](button)));
on(document, "change", "#file", (chosen) => {
  const file = chosen.files[0];
  chosen.value = ""; // else the same file could not be chosen again
  attempt(() => openFile(file));
});
for (const time of document.querySelectorAll("time")) {
  const at = Number(time.dataset.at);
  time.textContent = localTime(at);
  time.dateTime = time.title = utcTime(at);
}
window.addEventListener("hashchange", takeCode);
takeCode();
document.documentElement.dataset.ready = "true";
