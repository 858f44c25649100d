import { createRequire } from "node:module";
import { posix } from "node:path";
import type { Token } from "markdown-it";
import type { Section } from "./navigation.ts";
import { markdown, type Page } from "./read-pages.ts";

export interface Site {
  sections: readonly Section[];
  /** Path of a page or an image in the repository -> path in the site. */
  targets: ReadonlyMap<string, string>;
  /** Where the repository's files are shown, without a slash at the end; null: their links become text. */
  source: string | null;
}

interface Highlighter {
  getLanguage: (name: string) => unknown;
  highlight: (code: string, options: { language: string }) => { value: string };
}
// Required, not imported: the types of highlight.js add the browser's globals to the whole project.
const hljs = createRequire(import.meta.url)("highlight.js/lib/common") as Highlighter;

const escape = (text: string): string => markdown.utils.escapeHtml(text);

markdown.options.highlight = (code, language) =>
  hljs.getLanguage(language) !== undefined ? hljs.highlight(code, { language }).value : escape(code);
/** Words without a space that are longer than this may be broken after a comma or a slash. */
const breakLongWords = (text: string): string =>
  text.replaceAll(/\S{31,}/g, (word) => word.replaceAll(/[,/]/g, "$&<wbr>"));
/** Names may be broken on narrow screens only, after an underscore or a dot. */
const breakNames = (text: string): string =>
  text.replaceAll(/\S{16,}/g, (word) => word.replaceAll(/[_.](?=\w)/g, '$&<wbr class="narrow">'));
markdown.renderer.rules["code_inline"] = (tokens, index) =>
  `<code>${breakNames(breakLongWords(escape(tokens[index]?.content ?? "")))}</code>`;
markdown.renderer.rules["text"] = (tokens, index) => breakLongWords(escape(tokens[index]?.content ?? ""));
/** Cells with longer text keep a width at which it is readable, next to columns of long names. */
const SENTENCE = 60;
markdown.renderer.rules["td_open"] = (tokens, index) => {
  const text = (tokens[index + 1]?.content ?? "").replaceAll(/`[^`]*`/g, "");
  return text.length > SENTENCE ? '<td class="sentence">' : "<td>";
};
markdown.renderer.rules["table_open"] = () => '<div class="table"><table>';
markdown.renderer.rules["table_close"] = () => "</table></div>";

/** `path` of the site as a page at `from` links to it. */
const relative = (from: string, path: string): string => posix.relative(posix.dirname(from), path);

/** The address that a link of a page has in the site; null where the site has nothing to show. */
function addressOf(page: Page, target: string, { targets, source }: Site): string | null {
  if (/^([a-z][a-z0-9+.-]*:|#)/i.test(target)) return target;
  const [path = "", anchor] = target.split("#");
  const file = posix.normalize(posix.join(posix.dirname(page.path), path));
  const hash = anchor === undefined ? "" : `#${anchor}`;
  const inSite = targets.get(file);
  if (inSite !== undefined) return relative(targets.get(page.path) ?? "", inSite) + hash;
  return source === null ? null : `${source}/${file}${hash}`;
}

/** Points links and images at the site's files, and turns links to what is not in the site into plain text. */
function rewriteLinks(page: Page, site: Site): void {
  for (const { children } of page.tokens) {
    let dropped = false;
    for (const child of children ?? []) {
      const name = child.type === "image" ? "src" : "href";
      const target = child.attrGet(name);
      if (child.type === "link_close" && dropped) {
        dropped = false;
        plain(child);
      }
      if (target === null) continue;
      const address = addressOf(page, String(target), site);
      if (address !== null) child.attrSet(name, address);
      else {
        dropped = true;
        plain(child);
      }
    }
  }
}

function plain(token: Token): void {
  token.type = "text";
  token.content = "";
}

function navigationHtml(page: Page, { sections, targets }: Site): string {
  const here = targets.get(page.path) ?? "";
  return sections
    .map(({ title, entries }) => {
      const items = entries.map((entry) => {
        const current = entry.path === page.path ? ' aria-current="page"' : "";
        return `<li><a href="${relative(here, targets.get(entry.path) ?? "")}"${current}>${escape(entry.title)}</a></li>`;
      });
      return `<h2>${escape(title)}</h2><ul>${items.join("")}</ul>`;
    })
    .join("");
}

function contentsHtml(page: Page): string {
  const entries = page.headings.filter(({ level }) => level === 2);
  if (entries.length < 2) return "";
  const items = entries.map(({ anchor, text }) => `<li><a href="#${anchor}">${escape(text)}</a></li>`);
  return `<aside class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join("")}</ul></aside>`;
}

function neighboursHtml(page: Page, { sections, targets }: Site): string {
  const order = sections.flatMap(({ entries }) => entries);
  const at = order.findIndex(({ path }) => path === page.path);
  const here = targets.get(page.path) ?? "";
  const link = (entry: (typeof order)[number] | undefined, label: string): string =>
    entry === undefined
      ? "<span></span>"
      : `<a href="${relative(here, targets.get(entry.path) ?? "")}"><small>${label}</small>${escape(entry.title)}</a>`;
  const before = at > 0 ? order[at - 1] : undefined;
  return `<nav class="neighbours">${link(before, "Previous")}${link(order[at + 1], "Next")}</nav>`;
}

/** A page of the site. Consumes the page's tokens: their links are rewritten in place. */
export function renderPage(page: Page, site: Site): string {
  rewriteLinks(page, site);
  const here = site.targets.get(page.path) ?? "";
  const asset = (name: string): string => relative(here, `assets/${name}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(page.title)} · Landfall</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${asset("site.css")}">
<script>document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "";</script>
<script defer src="${asset("minisearch.js")}"></script>
<script defer src="${asset("search-index.js")}"></script>
<script defer src="${asset("site.js")}"></script>
</head>
<body data-root="${relative(here, "index.html").replace(/index\.html$/, "")}">
<header>
<a class="home" href="${relative(here, "index.html")}">Landfall</a>
<div class="search"><input type="search" placeholder="Search (press /)" aria-label="Search the documentation" autocomplete="off"><ol hidden></ol></div>
<button class="theme" type="button" aria-label="Switch between light and dark">◐</button>
<button class="menu" type="button" aria-label="Pages" aria-expanded="false">☰</button>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages">${navigationHtml(page, site)}</nav>
<main>${markdown.renderer.render(page.tokens, markdown.options, {})}${neighboursHtml(page, site)}</main>
${contentsHtml(page)}
</div>
</body>
</html>
`;
}
