// @ts-check
/** The positions of a match: every move with its sentences, and the scene after each, folded from patches. */

import { language, read } from "./api.js";

/**
 * @typedef {{text: string, marks?: [number, number, string][]}} Sentence
 * @typedef {{move: number, kind: string, seat: string | null, at: number | null, stands: boolean, turn: number,
 *   asked: string[], scene: any, sentences?: Sentence[], templates?: string[], back_to?: number, view?: string, clock?: any}} Move
 */

export class Positions {
  /** @param {string} match @param {string} view */
  constructor(match, view) {
    this.match = match;
    this.view = view;
    /** @type {Move[]} */
    this.moves = [];
    /** @type {any[]} the scene after each move; that before the first is empty */
    this.scenes = [{}];
  }

  /** The number of the latest move that is here. */
  get last() {
    return this.moves.length;
  }

  /** Load what is not here yet, up to a move (left out: the latest). @param {number} [until] */
  async load(until) {
    for (let after = this.last; ; ) {
      const more = until === undefined ? "" : `&until=${until}`;
      const page = await read(`/v1/matches/${this.match}/positions?view=${this.view}&after=${after}${more}&templates=true&lang=${language}`);
      for (const move of page.moves) this.add(move);
      if (!page.next) return;
      after = page.next;
    }
  }

  /** Add the move that follows on the latest. One that goes back takes back those behind its `back_to`. @param {Move} move */
  add(move) {
    if (move.move !== this.last + 1) throw new Error(`move ${move.move} does not follow on ${this.last}`);
    this.scenes.push(merged(this.scenes[this.last], move.scene));
    for (let n = move.back_to ?? this.last; n < this.last; n++) this.moves[n] = { ...this.moves[n], stands: false };
    this.moves.push(move);
  }

  /** The scene after a move. @param {number} move */
  scene(move) {
    return this.scenes[move];
  }

  /** One move. @param {number} move @returns {Move} */
  at(move) {
    return this.moves[move - 1];
  }

  /** The first move of each turn: pairs of turn and move. @returns {[number, number][]} */
  get turns() {
    /** @type {[number, number][]} */
    const found = [];
    for (const move of this.moves) if (found.at(-1)?.[0] !== move.turn) found.push([move.turn, move.move]);
    return found;
  }
}

/**
 * What a merge patch (RFC 7396) makes of a value. Parts that it does not touch stay the same objects, so that
 * those who draw them see at once what changed.
 * @param {any} before
 * @param {any} patch
 * @returns {any}
 */
export function merged(before, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const after = before !== null && typeof before === "object" && !Array.isArray(before) ? { ...before } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete after[key];
    else after[key] = merged(after[key], value);
  }
  return after;
}
