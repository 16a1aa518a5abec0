// @ts-check
/** What stands below the result of the page that verifies: a file that was found right is put on this server. */

const sections = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("section.upload")]);
/** @type {File | null} */
let file = null; // the one that was checked

/** The parts of a section that an answer fills. @param {HTMLElement} section @param {string} name */
function part(section, name) {
  return /** @type {HTMLElement} */ (section.querySelector(`[data-${name}]`));
}

/** Show the section in the language of the page, if there is a file to send. */
function show() {
  for (const section of sections) section.hidden = !file || section.lang !== document.documentElement.lang;
}

/** Nothing was sent yet. */
function reset() {
  for (const section of sections) {
    for (const name of ["done", "problem", "silent"]) part(section, name).hidden = true;
    part(section, "upload").hidden = false;
  }
}

/** Send the file; the server verifies it again. */
async function send() {
  const content = file;
  if (!content) return;
  for (const section of sections) part(section, "upload").toggleAttribute("disabled", true);
  reset();
  try {
    const answer = await fetch("/v1/replays", {
      method: "POST",
      body: content,
      headers: { "Content-Type": "application/zip", "Accept-Language": document.documentElement.lang },
    });
    said(answer.ok, await answer.json());
  } catch {
    for (const section of sections) part(section, "silent").hidden = false;
  }
  for (const section of sections) part(section, "upload").toggleAttribute("disabled", false);
}

/** Say what came of it. @param {boolean} stored @param {Record<string, any>} told the match, or why not */
function said(stored, told) {
  for (const section of sections) {
    part(section, "upload").hidden = stored;
    part(section, stored ? "done" : "problem").hidden = false;
    if (!stored) part(section, "problem").textContent = told.detail ?? told.title;
    else {
      part(section, "signature").textContent = `${told.signature}.`;
      part(section, "replay").setAttribute("href", `/m/${told.match}?move=1`);
    }
  }
}

document.addEventListener("checked", (event) => {
  file = /** @type {CustomEvent<File | null>} */ (event).detail;
  reset();
  show();
});
new MutationObserver(show).observe(document.documentElement, { attributeFilter: ["lang"] });
for (const section of sections) part(section, "upload").addEventListener("click", send);
document.documentElement.dataset.ready = "true";
