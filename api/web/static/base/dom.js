// @ts-check
/** Elements: made in one call, kept by key, and listened to from a root. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. A property that is false, null or undefined is left out; true stands without a value.
 * @param {string} tag
 * @param {Record<string, any>} [properties] attributes; `on` is an object of listeners
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  dress(element, properties ?? {});
  for (const child of children) if (child !== null && child !== undefined && child !== false) {
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/**
 * An element of SVG.
 * @param {string} tag
 * @param {Record<string, any>} properties
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svg(tag, properties, ...children) {
  const element = document.createElementNS(SVG, tag);
  dress(element, properties);
  element.append(...children);
  return element;
}

/** @param {Element} element @param {Record<string, any>} properties */
function dress(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "on") {
      for (const [event, act] of Object.entries(value)) element.addEventListener(event, /** @type {any} */ (act));
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/**
 * Let `parent` hold one child for each item, in their order. A child stays as long as its key and its item do.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => string} key
 * @param {(item: T) => Element} make
 */
export function keyed(parent, items, key, make) {
  const old = /** @type {Map<string, [T, Element]>} */ (held.get(parent) ?? new Map());
  const now = /** @type {Map<string, [T, Element]>} */ (new Map());
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = key(item), known = old.get(name);
    const element = known && known[0] === item ? known[1] : make(item);
    now.set(name, [item, element]);
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  const stays = new Set([...now.values()].map(([, element]) => element));
  for (const child of [...parent.children]) if (!stays.has(child)) child.remove();
  held.set(parent, now);
}

const held = new WeakMap();

/**
 * Listen at a root to what happens to those of its descendants that a selector names.
 * @param {Element | Document} root
 * @param {string} event
 * @param {string} selector
 * @param {(found: any, event: any) => void} act
 */
export function on(root, event, selector, act) {
  root.addEventListener(event, (happened) => {
    const target = /** @type {Element | null} */ (happened.target instanceof Element ? happened.target : null);
    const found = target?.closest(selector);
    if (found && root.contains(found)) act(found, happened);
  });
}

/** The element with an id; the page's template has it. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

const ICONS = /** @type {Record<string, string>} */ ({
  first: "M3 3h2v14H3zM17 3v14L6 10z",
  previous_turn: "M10 3v14L1 10zM19 3v14l-9-7z",
  previous: "M15 3v14L4 10z",
  play: "M4 2v16l14-8z",
  pause: "M4 3h4v14H4zM12 3h4v14h-4z",
  next: "M5 3v14l11-7z",
  next_turn: "M10 3v14l9-7zM1 3v14l9-7z",
  star: "M10 1l2.8 6 6.2.8-4.6 4.4 1.2 6.5L10 15.5l-5.6 3.2 1.2-6.5L1 7.8 7.2 7z",
  last: "M15 3h2v14h-2zM3 3v14l11-7z",
});

/** A picture on a button. @param {string} name @returns {SVGElement} */
export function icon(name) {
  return svg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}
