// @ts-check
/** Requests to the server; what it refuses is an `Refusal` with its problem document. */

import { t } from "../base/text.js";

export const language = document.documentElement.lang || "en";
/** In a frame of another server's page there is no session, also where that server is of the same site. */
const credentials = document.documentElement.hasAttribute("data-framed") ? "omit" : "same-origin";

/**
 * A request that was refused, or that got no answer (status 0). Without a kind it was not this server that answered
 * but one before it, so it is not certain whether the request was carried out.
 */
export class Refusal extends Error {
  /** @param {number} status @param {Record<string, any>} problem see RFC 9457 */
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? String(status));
    this.status = status;
    this.problem = problem;
    this.kind = String(problem.type ?? "").split("/").pop() ?? "";
  }
}

/** Read. An address that names its language may have been fetched with the page, for it needs no header. @param {string} path @returns {Promise<any>} */
export function read(path) {
  return send("GET", path);
}

/** The server's time to the second, in milliseconds since 1970; NaN without an answer. @returns {Promise<number>} */
export async function serverTime() {
  try {
    const answer = await fetch("/healthz", { method: "HEAD", cache: "no-store", credentials });
    return Date.parse(answer.headers.get("Date") ?? "") + 500;
  } catch {
    return NaN;
  }
}

/**
 * Ask for something to be done.
 * @param {string} method
 * @param {string} path
 * @param {any} [body] sent as JSON
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>}
 */
export async function send(method, path, body, headers = {}) {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const head = new Headers(headers);
  if (!path.includes("lang=")) head.set("Accept-Language", language);
  if (sent) head.set("Content-Type", "application/json");
  let answer;
  try {
    answer = await fetch(path, { method, body: sent, headers: head, credentials });
  } catch (error) {
    throw new Refusal(0, { detail: t("no_answer"), cause: String(error) });
  }
  const text = await answer.text(), json = (answer.headers.get("Content-Type") ?? "").includes("json");
  const content = text && json ? JSON.parse(text) : {};
  if (!answer.ok) throw new Refusal(answer.status, "type" in content ? content : { detail: t("no_answer") });
  if (text && !json) throw new Refusal(0, { detail: t("no_answer") }); // what answered is another server
  return content;
}
