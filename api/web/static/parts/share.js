// @ts-check
/** What one may send of a position: its address, a line for a forum, a picture. */

import { h } from "../base/dom.js";
import * as page from "../base/page.js";
import { t } from "../base/text.js";

/** Show the dialog. */
export function share() {
  const address = new URL(location.href);
  address.search = page.addressOf(page.get("move"), page.get("view"));
  const link = address.href, title = document.querySelector("h1")?.textContent ?? "";
  const text = `${title}, ${t("move").toLowerCase()} ${page.get("move")}`;
  const frame = new URL(`/embed/${page.start.match}`, location.href);
  frame.searchParams.set("move", page.get("move"));
  frame.searchParams.set("view", page.get("over") ? page.get("view") : "spectator");
  const picture = `/v1/matches/${page.start.match}/scene?at=${page.get("move")}&view=${page.get("view")}`;
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "share", "aria-label": t("share") },
    h("h2", {}, t("share")),
    field(t("share_link"), link), field("Markdown", `[${text}](${link})`), field("BBCode", `[url=${link}]${text}[/url]`),
    field(t("share_embed"), `<iframe src="${escaped(frame.href)}" title="${escaped(text)}" width="800" height="640" loading="lazy"></iframe>`)));
  if (document.querySelector("svg.board")) {
    const links = h("p", {}, pictureLink(picture));
    if (page.start.picture) links.append(" ", pngLink(frame));
    dialog.append(links);
  }
  dialog.append(h("button", { type: "button", class: "primary", on: { click: () => dialog.close() } }, t("close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** A text inside an attribute of HTML. @param {string} text */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** @param {string} label @param {string} value */
function field(label, value) {
  const input = /** @type {HTMLInputElement} */ (h("input", { type: "text", readonly: true, value, size: 40 }));
  const button = h("button", { type: "button" }, t("copy"));
  button.addEventListener("click", async () => {
    input.select();
    await navigator.clipboard?.writeText(value);
    button.textContent = t("copied");
  });
  return h("p", {}, h("label", {}, label, " ", input), " ", button);
}

/** The drawn board as a file. @param {string} address */
function pictureLink(address) {
  const button = h("button", { type: "button" }, `${t("picture")} (SVG)`);
  button.addEventListener("click", async () => {
    const language = document.documentElement.lang;
    const answer = await fetch(address, { headers: { Accept: "image/svg+xml", "Accept-Language": language } });
    const link = h("a", { href: URL.createObjectURL(await answer.blob()), download: `${page.start.match}-${page.get("move")}.svg` });
    link.click();
    URL.revokeObjectURL(/** @type {HTMLAnchorElement} */ (link).href);
  });
  return button;
}

/** The same as a PNG, which shows only what everybody may see. @param {URL} frame the address of the same position in a frame */
function pngLink(frame) {
  const address = new URL(`/m/${page.start.match}/picture.png${frame.search}`, location.href);
  address.searchParams.set("lang", document.documentElement.lang);
  return h("a", { class: "button", href: address.href, download: `${page.start.match}-${page.get("move")}.png` }, `${t("picture")} (PNG)`);
}
