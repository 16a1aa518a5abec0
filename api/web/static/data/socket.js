// @ts-check
/**
 * The connection of a page with a match: one socket, which comes back by itself.
 *
 * A command has a key of its own and stands in the session storage until it is answered.  After a break, or a
 * reload, the same request is sent again with the same key, so the server carries it out once.  Where sockets do
 * not get through, an event stream and requests take their place, and the socket is tried on.
 */

import { read, Refusal, send } from "./api.js";

const LONGEST = 30_000; // milliseconds between two attempts
const FAILED = 3; // handshakes in a row, after which the event stream takes over
const PROBE = 5_000; // milliseconds for an answer of a connection that may be dead
const UNWELCOME = 1008; // the code with which the server closes the socket of one who is not signed in any more
const GONE_ON = ["unavailable", "in-doubt", "limit"]; // refusals after which the same request may be sent again

/** Which request a command is over HTTP. @type {Record<string, (fields: any) => [string, any]>} */
const PATHS = {
  play: ({ expect, picks }) => ["moves", { expect, picks }],
  takeback: () => ["takebacks", {}],
  answer_takeback: ({ request, agree }) => [`takebacks/${request}/answer`, { agree }],
  resign: () => ["resignation", {}],
  clock: ({ seat, more }) => ["clock", { seat, more }],
};

/**
 * @typedef {object} Hooks
 * @property {() => number} after the last move that the page has
 * @property {() => string | undefined} view undefined: that of the own seat
 * @property {(move: any) => void} pushed a move came, with its position
 * @property {(question: any, position?: any) => void} asked what the player is asked now, null: nothing; `position`:
 *   that of a move that came, behind which others may be on their way: then the question comes with the last of them
 * @property {(is: "live" | "lost" | "out" | "over") => void} became "out": signed out
 * @property {(command: any, problem: Refusal | null, done: any) => void} answered a command was carried out or refused
 */

export class Line {
  /** @param {string} match @param {Hooks} hooks */
  constructor(match, hooks) {
    this.match = match;
    this.hooks = hooks;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {EventSource | null} */
    this.stream = null;
    this.attempts = 0;
    this.failures = 0;
    this.ids = 0;
    this.following = false;
    /** @type {Map<number, (reply: any) => void>} */
    this.waiting = new Map();
    /** @type {number | undefined} */
    this.timer = undefined;
    addEventListener("online", () => this.probe());
    document.addEventListener("visibilitychange", () => document.hidden || this.probe());
    this.open();
  }

  /** Is there a way to send commands? */
  get live() {
    return this.following || this.stream?.readyState === EventSource.OPEN;
  }

  // ── the socket ──

  open() {
    clearTimeout(this.timer);
    if (this.ended || this.socket) return;
    const socket = (this.socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/v1/socket`));
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.failures = 0;
      this.enter();
    };
    socket.onmessage = (event) => this.take(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (!opened) this.failures += 1;
      if (this.socket === socket) this.broke(event.code);
    };
  }

  async enter() {
    const entered = await this.say("enter", { language: document.documentElement.lang });
    if (entered) this.follow();
  }

  /** Follow the match from the last move on that the page has; again, if the view is another. */
  async follow() {
    if (!this.socket || this.socket.readyState !== WebSocket.OPEN) return this.restream();
    const turn = (this.turn = (this.turn ?? 0) + 1);
    this.following = false;
    await this.say("leave", { match: this.match });
    if (turn !== this.turn) return;
    const { after, view } = this.hooks;
    const wanted = { scene: true, sentences: true, lean: true, prompt: true };
    this.following = true; // the first moves may come before the reply
    const reply = await this.say("follow", { match: this.match, after: after(), view: view(), ...wanted });
    if (!reply || turn !== this.turn) return;
    if (reply.status >= 300) return this.refused(reply);
    this.stream?.close();
    this.stream = null;
    this.attempts = 0;
    this.hooks.became("live");
    this.ask();
    this.resend();
  }

  /** The server does not let this page follow now: try again later. @param {any} reply */
  refused(reply) {
    this.following = false;
    this.attempts = Math.max(this.attempts, 3);
    this.wait = 1000 * (reply.retry_after ?? 0);
    this.socket?.close();
  }

  /** One message; its reply, or null if the connection breaks before. @param {string} what @param {any} fields @returns {Promise<any>} */
  say(what, fields) {
    const id = (this.ids += 1);
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.socket?.send(JSON.stringify({ do: what, id, ...fields }));
    });
  }

  /** @param {any} message */
  take(message) {
    if (!("match" in message)) {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    } else if (message.over) this.end();
    else if (this.following && message.match === this.match) {
      this.hooks.pushed(message.move);
      this.hooks.asked(message.prompt ?? null, message.move.position);
    }
  }

  /** What the player is asked now. */
  async ask() {
    if (!this.following) return this.askByRequest();
    const turn = this.turn, last = this.hooks.after();
    const reply = await this.say("prompt", { match: this.match });
    if (reply && turn === this.turn && last === this.hooks.after()) this.hooks.asked(reply.done ?? null);
  }

  /** @param {number} code */
  broke(code) {
    this.socket = null;
    this.following = false;
    for (const resolve of this.waiting.values()) resolve(null);
    this.waiting.clear();
    if (this.ended) return;
    if (code === UNWELCOME) return this.hooks.became("out");
    if (!this.stream) this.hooks.became("lost");
    if (this.failures >= FAILED && !this.stream) this.restream();
    const pause = this.attempts ? Math.min(LONGEST, 500 * 2 ** this.attempts) : 0;
    this.attempts += 1;
    this.timer = setTimeout(() => this.open(), Math.max(this.wait ?? 0, pause * (0.75 + Math.random() / 2)));
    this.wait = 0;
  }

  /** Look at once whether there is a connection: the page was woken, or the network is back. */
  async probe() {
    if (this.ended) return;
    if (!this.socket) return this.open();
    const socket = this.socket;
    const late = setTimeout(() => this.socket === socket && (socket.close(), this.broke(0)), PROBE);
    if (socket.readyState === WebSocket.OPEN) await this.ask();
    clearTimeout(late);
  }

  end() {
    this.ended = true;
    this.stream?.close();
    this.socket?.close();
    this.hooks.became("over");
  }

  // ── without a socket ──

  /** Follow by an event stream. */
  restream() {
    if (this.failures < FAILED) return;
    this.stream?.close();
    const { after, view } = this.hooks;
    const query = new URLSearchParams({ after: String(after()), scene: "true", sentences: "true" }), seen = view();
    if (seen) query.set("view", seen);
    const stream = (this.stream = new EventSource(`/v1/matches/${this.match}/moves?${query}`));
    stream.onopen = () => {
      this.hooks.became("live");
      this.ask();
      this.resend();
    };
    stream.onmessage = (event) => {
      const move = JSON.parse(event.data);
      this.hooks.pushed(move);
      if (move.kind === "closed") this.end();
      else this.askByRequest();
    };
    stream.onerror = () => this.hooks.became("lost");
  }

  async askByRequest() {
    const last = this.hooks.after();
    try {
      const question = await read(`/v1/matches/${this.match}/prompt`);
      if (last === this.hooks.after()) this.hooks.asked(question.ask ? question : null);
    } catch {
      // the stream says that the connection is lost
    }
  }

  // ── commands ──

  /** The command that is not answered yet. @returns {any} */
  get pending() {
    return JSON.parse(sessionStorage.getItem(`sent ${this.match}`) ?? "null");
  }

  /**
   * Send a command to the match; `hooks.answered` says what became of it, also after a break.
   * @param {string} what
   * @param {Record<string, any>} fields
   */
  command(what, fields) {
    const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    sessionStorage.setItem(`sent ${this.match}`, JSON.stringify({ do: what, fields, key }));
    this.resend();
  }

  /** Send what is not answered yet, as it was sent before. */
  async resend() {
    const command = this.pending;
    if (!command || !this.live || this.sending === command.key) return;
    this.sending = command.key;
    const reply = this.following
      ? await this.say(command.do, { match: this.match, key: command.key, ...command.fields })
      : await this.post(command);
    this.sending = "";
    if (!reply || this.pending?.key !== command.key) return; // the connection broke: it is sent again
    const problem = reply.problem ? new Refusal(reply.status, { ...reply.problem, retry_after: reply.retry_after }) : null;
    if (!problem || !GONE_ON.includes(problem.kind)) this.forget();
    this.hooks.answered(command, problem, reply.done);
  }

  /** The same by a request. @param {any} command */
  async post({ do: what, fields, key }) {
    const [path, body] = PATHS[what](fields);
    try {
      const done = await send("POST", `/v1/matches/${this.match}/${path}`, body, { "Idempotency-Key": key });
      return { status: 201, done };
    } catch (error) {
      const { status, problem } = /** @type {Refusal} */ (error);
      return status ? { status, problem: { type: "/problems/in-doubt", ...problem } } : null;
    }
  }

  /** Give up the command that is not answered yet. */
  forget() {
    sessionStorage.removeItem(`sent ${this.match}`);
  }
}
