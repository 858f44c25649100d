import { posix } from "node:path";
import type { Token } from "markdown-it";
import { type Page, textOf } from "./read-pages.ts";

/** Nesting of the text in a list's item: list, item, paragraph. */
const IN_LIST = 3;

export interface Section {
  title: string;
  entries: { title: string; path: string }[];
}

/** The page that an entry of a list links to; null for anything else. */
function entryOf({ type, level, children }: Token, index: Page): Section["entries"][number] | null {
  if (type !== "inline" || level < IN_LIST || children === null) return null;
  const at = children.findIndex((child) => child.type === "link_open");
  const target = String(children[at]?.attrGet("href") ?? "");
  if (!target.endsWith(".md")) return null;
  const path = posix.normalize(posix.join(posix.dirname(index.path), target));
  return { title: children[at + 1]?.content ?? path, path };
}

/** The reading order: the second-level headings of the index page, each with the pages that its lists link to. */
export function navigation(index: Page): Section[] {
  const sections: Section[] = [];
  index.tokens.forEach((token, at) => {
    const inline = index.tokens[at + 1];
    if (token.tag === "h2" && token.nesting === 1 && inline !== undefined)
      sections.push({ title: textOf(inline), entries: [] });
    const entry = entryOf(token, index);
    if (entry !== null) sections.at(-1)?.entries.push(entry);
  });
  return sections.filter(({ entries }) => entries.length > 0);
}
