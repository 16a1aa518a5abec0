// @ts-check
/** The lobby, or a tournament, over the socket: it says what changed, and comes back by itself after a break. */

const LONGEST = 30_000; // milliseconds between two attempts
const UNWELCOME = 1008; // the code with which the server closes the socket of one who is not signed in any more

const GROUPS = ["mine", "theirs", "open", "over", "seats", "live", "finished"];

/** All matches of a lobby. @param {any} lobby @returns {any[]} */
export const rowsOf = (lobby) => GROUPS.flatMap((group) => lobby[group]);

/**
 * Listen to the lobby, or to what else is wanted, for ever.
 * @param {(change: any) => void} changed a match is another one now; see `LobbyChange`; or a message of a tournament
 * @param {(now: any, isFirst: boolean) => void} began listening began, or went on after a break: what happened before is
 *   not told; `now` is the lobby as it is then
 * @param {Record<string, any>} [wanted] the message that asks for it
 */
export function listen(changed, began, wanted = { do: "lobby" }) {
  let attempts = 0, timer = 0, first = true;
  /** @type {WebSocket | null} */
  let socket = null;

  function open() {
    clearTimeout(timer);
    if (socket) return;
    const here = (socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/v1/socket`));
    here.onopen = () => {
      here.send(JSON.stringify({ do: "enter", id: 1, language: document.documentElement.lang }));
      here.send(JSON.stringify({ ...wanted, id: 2 }));
    };
    here.onmessage = (event) => take(JSON.parse(event.data));
    here.onclose = (event) => {
      socket = null;
      if (event.code === UNWELCOME) return;
      const pause = Math.min(LONGEST, 1000 * 2 ** attempts) * (0.75 + Math.random() / 2);
      attempts += 1;
      timer = setTimeout(open, pause);
    };
  }

  /** @param {any} message */
  function take(message) {
    if (message.lobby) return changed(message.lobby);
    if (message.tournament) return changed(message);
    if (message.id !== 2 || message.status !== 200) return;
    attempts = 0;
    began(message.done, first);
    first = false;
  }

  addEventListener("online", open);
  document.addEventListener("visibilitychange", () => document.hidden || open());
  open();
}
