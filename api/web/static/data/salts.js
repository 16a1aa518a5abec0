// @ts-check
/**
 * Salts: random bytes of a player, which no server knows before it has drawn its own.
 *
 * A salt is made here and kept here.  Its hash goes to the server as the player sits down; the salt follows as
 * soon as every seat is taken, from whichever page of this browser is open then.
 */

import { read, send } from "./api.js";

const KEY = "salt "; // with match and seat, in the storage of the browser

/** Sixteen random bytes as text. */
export function newSalt() {
  return base64(crypto.getRandomValues(new Uint8Array(16))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Sit down with a salt of one's own: its hash now, the salt later.  Without a secure context the browser makes
 * no hashes, so the salt goes in clear.
 * @param {string} match
 * @param {string} seat
 * @param {string} salt
 * @param {string} scheme how draws are made, which stands in the hash
 * @param {string} [invitation]
 * @returns {Promise<any>} the match
 */
export async function sitDown(match, seat, salt, scheme, invitation) {
  const body = /** @type {Record<string, string>} */ (invitation ? { invitation } : {});
  if (salt && crypto.subtle) {
    const bytes = new TextEncoder().encode(`glasnost ${scheme} salt\n${match}\n${seat}\n${salt}`);
    body.salt_hash = base64(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
    localStorage.setItem(`${KEY}${match} ${seat}`, salt);
  } else if (salt) body.salt = salt;
  const told = await send("POST", `/v1/matches/${match}/seats/${seat}`, body);
  if (told.receipt) localStorage.setItem(`receipt ${match}`, told.receipt);
  return told;
}

/**
 * Open the salts that are kept here, of matches in which every seat is taken; others stay as they are.
 * @param {string[]} matches
 */
export async function openSalts(matches) {
  for (const [name, salt] of Object.entries(localStorage)) {
    const [match, seat] = name.startsWith(KEY) ? name.slice(KEY.length).split(" ") : ["", ""];
    if (!matches.includes(match)) continue;
    const { status, unopened } = await read(`/v1/matches/${match}`);
    if (status === "open") continue;
    if (unopened.includes(seat)) await send("POST", `/v1/matches/${match}/seats/${seat}/salt`, { salt });
    localStorage.removeItem(name);
  }
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}
