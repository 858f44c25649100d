/**
 * Characters that change what a terminal shows without being seen: C0 except line feed and tab, DEL, C1, separators of
 * lines, marks and overrides of direction, characters of no width, and tags.
 */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const escapeOf = (character: string): string =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");

/** The text with such characters written as `\u001b`, which is also their form in JSON and in a quoted text of YAML. */
export const neutralise = (text: string): string => text.replace(UNSEEN, escapeOf);

/** The same on one line: no text can look like the next line of another one. */
export const neutraliseLine = (text: string): string => neutralise(text.replace(/[\t-\r\u0085\u2028\u2029]+/g, " "));

/** Whether `neutralise` would change the text. */
export const hasUnseen = (text: string): boolean => text.search(UNSEEN) !== -1;
