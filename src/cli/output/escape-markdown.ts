import { neutralise } from "../../model/text/neutralise.ts";

const entityOf = (character: string): string => `&#${String(character.charCodeAt(0))};`;

/**
 * A text of unknown origin as part of one line of Markdown, also in a table: no markup, HTML, link, image, mention or reference comes of it.
 * Entities, because in Markdown they are never markup themselves.
 */
export const escapeMarkdown = (text: string): string =>
  neutralise(text)
    .replace(/\s+/g, " ")
    .replace(/[&<`*[\]()!|~#$\\]|:(?=\/\/)|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, entityOf)
    .replace(/www\./gi, (start) => `${start.slice(0, 3)}&#46;`)
    // GitHub looks for mentions, issues and commits in the text of the page: a comment parts it.
    .replace(/@|&#35;|\bGH-(?=\d)|[0-9a-f]{6}(?=[0-9a-f])/gi, "$&<!-- -->");
