// @ts-check
/** The state of a page: one frozen object, who listens to which part of it, and the address that names it. */

/** What the server put into the page. @type {Readonly<Record<string, any>>} */
export const start = Object.freeze(JSON.parse(document.getElementById("state")?.textContent ?? "{}"));

/** @type {Readonly<Record<string, any>>} */
let state = Object.freeze({});
/** @type {[string[], (state: Readonly<Record<string, any>>) => void][]} */
const listeners = [];

/** A part of the state. @param {string} key @returns {any} */
export function get(key) {
  return state[key];
}

/** The whole state. */
export function all() {
  return state;
}

/**
 * Change parts of the state; those who listen to one that is another now are called once, in their order.
 * @param {Record<string, any>} changes
 */
export function set(changes) {
  const changed = Object.keys(changes).filter((key) => !Object.is(state[key], changes[key]));
  if (!changed.length) return;
  state = Object.freeze({ ...state, ...changes });
  for (const [keys, act] of listeners) if (keys.some((key) => changed.includes(key))) act(state);
}

/**
 * Call `act` whenever one of these parts changes.
 * @param {string[]} keys
 * @param {(state: Readonly<Record<string, any>>) => void} act
 */
export function on(keys, act) {
  listeners.push([keys, act]);
}

/** The address of a move in a view; without spoilers it leads to a page without spoilers. @param {number} move @param {string} view */
export function addressOf(move, view) {
  return `?${new URLSearchParams({ move: String(move), view, ...(start.spoilerFree ? { spoiler: "off" } : {}) })}`;
}

/**
 * Let the address of the page name what it shows.
 * @param {Record<string, string | number | null>} parameters null takes one away
 * @param {boolean} [push] as a step of its own in the history of the browser
 */
export function showAddress(parameters, push = false) {
  const address = new URL(location.href);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) address.searchParams.delete(name);
    else address.searchParams.set(name, String(value));
  }
  address.hash = "";
  if (address.href !== location.href) history[push ? "pushState" : "replaceState"](null, "", address);
  for (const link of document.querySelectorAll("a[data-language]")) {
    const other = new URL(address);
    other.searchParams.set("lang", link.getAttribute("data-language") ?? "");
    link.setAttribute("href", other.search);
  }
}
