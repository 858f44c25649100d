import MiniSearch from "minisearch";
import { type Page, textOf } from "./read-pages.ts";

interface Passage {
  id: string;
  page: string;
  title: string;
  text: string;
}

/** One passage per heading: what stands below it, up to the next one. */
function passages(page: Page, address: string): Passage[] {
  const found: Passage[] = [];
  page.tokens.forEach((token, at) => {
    const inline = page.tokens[at + 1];
    if (token.type === "heading_open" && inline !== undefined) {
      const anchor = found.length === 0 ? "" : `#${String(token.attrGet("id"))}`;
      found.push({ id: `${address}${anchor}`, page: page.title, title: textOf(inline), text: "" });
    }
    const passage = found.at(-1);
    if (passage === undefined) return;
    const isTitle = page.tokens[at - 1]?.type === "heading_open";
    if (token.type === "inline" && !isTitle) passage.text += ` ${textOf(token)}`;
    if (token.type === "fence") passage.text += ` ${token.content}`;
  });
  return found;
}

/** The script that hands the search index to the site. A script, because pages that are opened as files cannot fetch. */
export function searchIndex(pages: readonly Page[], addresses: ReadonlyMap<string, string>): string {
  const index = new MiniSearch<Passage>({ fields: ["title", "page", "text"], storeFields: ["title", "page", "text"] });
  for (const page of pages) index.addAll(passages(page, addresses.get(page.path) ?? ""));
  return `window.searchIndex = ${JSON.stringify(JSON.stringify(index))};\n`;
}
