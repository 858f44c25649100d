import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import GithubSlugger from "github-slugger";
import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";

/** A link, an image or a path in backticks. */
export interface Mention {
  line: number;
  target: string;
}

export interface Heading {
  level: number;
  text: string;
  anchor: string;
}

export interface Page {
  /** From the repository's root, with slashes. */
  path: string;
  tokens: Token[];
  /** The text of the first heading. */
  title: string;
  headings: Heading[];
  links: Mention[];
  /** The contents of `code` in running text, not of blocks. */
  codes: Mention[];
  /** Files that the page tells its reader to write: blocks with file=PATH. */
  written: string[];
}

export const markdown = new MarkdownIt({ html: true });

export const textOf = (token: Token): string =>
  (token.children ?? [])
    .map(({ type, content }) => (type === "softbreak" ? " " : type === "text" || type === "code_inline" ? content : ""))
    .join("");

/** The headings, each with the anchor that GitHub gives it; the anchor is also set as the token's id. */
function headingsOf(tokens: Token[]): Heading[] {
  const slugger = new GithubSlugger();
  return tokens.flatMap((token, index) => {
    const inline = tokens[index + 1];
    if (token.type !== "heading_open" || inline === undefined) return [];
    const text = textOf(inline);
    const anchor = slugger.slug(text);
    token.attrSet("id", anchor);
    return [{ level: Number(token.tag.slice(1)), text, anchor }];
  });
}

/** The targets that `of` finds in the inline parts of these tokens, with their lines. */
export function inlineMentions(tokens: Token[], of: (child: Token) => string | null): Mention[] {
  return tokens.flatMap(({ children, map }) =>
    (children ?? []).flatMap((child) => {
      const target = of(child);
      return target === null ? [] : [{ line: (map?.[0] ?? 0) + 1, target }];
    }),
  );
}

function linkOf(child: Token): string | null {
  const name = { link_open: "href", image: "src" }[child.type];
  const target = name === undefined ? null : child.attrGet(name);
  return target === null ? null : String(target);
}

export function readPage(path: string, text: string): Page {
  const tokens = markdown.parse(text, {});
  const headings = headingsOf(tokens);
  const written = tokens.flatMap(({ type, info }) => {
    const file = type === "fence" ? /\bfile=(\S+)/.exec(info)?.[1] : undefined;
    return file === undefined ? [] : [file];
  });
  return {
    path,
    tokens,
    title: headings[0]?.text ?? posix.basename(path),
    headings,
    links: inlineMentions(tokens, linkOf),
    codes: inlineMentions(tokens, (child) => (child.type === "code_inline" ? child.content : null)),
    written,
  };
}

export async function readPages(root: string, paths: readonly string[]): Promise<Page[]> {
  return Promise.all(paths.map(async (path) => readPage(path, await readFile(join(root, path), "utf8"))));
}
