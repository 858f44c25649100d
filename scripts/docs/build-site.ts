import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { navigation } from "./navigation.ts";
import { listFiles } from "../list-files.ts";
import { readPage, readPages } from "./read-pages.ts";
import { renderPage } from "./render-page.ts";
import { searchIndex } from "./search-index.ts";

const INDEX = "docs/README.md";
/** Pages outside docs/ that the site shows as well. */
const BESIDE = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

const isShown = (path: string): boolean => path.startsWith("docs/") || BESIDE.includes(path);

/** docs/concepts/trust.md -> concepts/trust.html */
const addressOf = (path: string): string =>
  path === INDEX ? "index.html" : path.replace(/^docs\//, "").replace(/\.md$/, ".html");

async function write(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

async function writeAssets(root: string, out: string): Promise<void> {
  await mkdir(join(out, "assets"), { recursive: true });
  const minisearch = createRequire(import.meta.url).resolve("minisearch");
  await copyFile(join(dirname(minisearch), "../umd/index.js"), join(out, "assets/minisearch.js"));
  for (const name of ["site.css", "site.js"])
    await copyFile(join(root, "scripts/docs/assets", name), join(out, "assets", name));
}

export interface SiteOptions {
  root: string;
  out: string;
  /** Where the repository's files are shown, for links to code; null: these links become text. */
  source: string | null;
}

/** Writes the documentation as HTML with search, for a web server or to be opened as files; answers the number of pages. */
export async function buildSite({ root, out, source }: SiteOptions): Promise<number> {
  const files = (await listFiles(root)).filter(isShown);
  const images = files.filter((file) => /\.(?:svg|png)$/.test(file));
  const pages = await readPages(
    root,
    files.filter((file) => file.endsWith(".md")),
  );
  const index = pages.find(({ path }) => path === INDEX) ?? readPage(INDEX, "");
  const targets = new Map([...pages.map(({ path }) => path), ...images].map((path) => [path, addressOf(path)]));
  const site = { sections: navigation(index), targets, source };
  await rm(out, { recursive: true, force: true });
  await writeAssets(root, out);
  await write(join(out, "assets/search-index.js"), searchIndex(pages, targets));
  for (const page of pages) await write(join(out, addressOf(page.path)), renderPage(page, site));
  for (const image of images) await write(join(out, addressOf(image)), await readFile(join(root, image), "utf8"));
  return pages.length;
}
