// @ts-check
/** The words of a game: the names of its ids and fields, and what its cards say. */

import { read } from "./api.js";

const PIECES = /\{([^{}]+)\}|([{}])\2|[^{}]+/g;

export class Vocabulary {
  /** @param {Record<string, any>} told see `GET /v1/games/{game}?lang=` */
  constructor(told) {
    this.names = told.names;
    this.fields = told.fields;
    this.cards = told.cards;
    this.seats = told.seats.map((/** @type {any} */ one) => ({ id: one.id, name: one.name, letter: one.letter }));
    this.regions = told.board?.regions ?? [];
    this.spaces = told.board?.spaces ?? {};
  }

  /** @param {string} address */
  static async load(address) {
    return new Vocabulary(await read(address));
  }

  /** The name of a value of a scene: an id, a number or a short text. @param {string | number} value */
  name(value) {
    return this.names[value] ?? this.fields[value] ?? String(value);
  }

  /** The name of a field, a panel or a column; its id has parts with dots between. @param {string} id @returns {string} */
  field(id) {
    const whole = this.names[id] ?? this.fields[id];
    if (whole !== undefined) return whole;
    const parts = id.split(".");
    return parts.length > 1 ? parts.map((part) => this.field(part)).join(" · ") : id.replaceAll("_", " ");
  }

  /** What lies on a space in words, the seats in their order first. @param {Record<string, string | number>} slots */
  lies(slots) {
    const order = (/** @type {string} */ slot) => (this.place(slot) < 0 ? this.seats.length : this.place(slot));
    const found = Object.entries(slots).sort(([one], [other]) => order(one) - order(other));
    return found.map(([slot, value]) => `${this.field(slot)} ${this.name(value)}`).join(", ");
  }

  /**
   * The sentences of a move in pieces: each a text, and the id that it names ("": none).
   * @param {import("./positions.js").Move} move
   * @returns {[string, string][][]}
   */
  told({ templates, sentences = [] }) {
    return templates?.map((one) => this.filled(one)) ?? sentences.map(cut);
  }

  /** A template in pieces: `{id}` stands for the name of an id, and two braces for one. @param {string} template */
  filled(template) {
    return [...template.matchAll(PIECES)].map(([whole, id, brace]) => /** @type {[string, string]} */ (
      id ? [this.name(id), id] : [brace ?? whole, ""]));
  }

  /** The place of a seat, 0 or 1; -1 for what is no seat. @param {string | number | undefined} id */
  place(id) {
    return this.seats.findIndex((/** @type {{id: string}} */ seat) => seat.id === id);
  }

  /** The letter of a seat; empty for what is no seat. @param {string | number | undefined} id @returns {string} */
  letter(id) {
    return this.seats[this.place(id)]?.letter ?? "";
  }
}

/** A sentence in pieces. @param {import("./positions.js").Sentence} sentence @returns {[string, string][]} */
function cut({ text, marks = [] }) {
  const letters = [...text];
  let end = 0;
  const pieces = marks.flatMap(([from, to, id]) => {
    /** @type {[string, string][]} */
    const found = [[letters.slice(end, from).join(""), ""], [letters.slice(from, to).join(""), id]];
    end = to;
    return found;
  });
  return [...pieces, [letters.slice(end).join(""), ""]];
}
