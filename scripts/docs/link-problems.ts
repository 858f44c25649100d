import { posix } from "node:path";
import type { Mention, Page } from "./read-pages.ts";

/** What the checked pages may refer to. */
export interface Repository {
  files: ReadonlySet<string>;
  folders: ReadonlySet<string>;
  pages: ReadonlyMap<string, Page>;
}

export function repositoryOf(files: readonly string[], pages: readonly Page[]): Repository {
  const folders = new Set<string>();
  for (const file of files)
    for (let folder = posix.dirname(file); folder !== "."; folder = posix.dirname(folder)) folders.add(folder);
  return { files: new Set(files), folders, pages: new Map(pages.map((page) => [page.path, page])) };
}

const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/i;

/** Paths that a reader would look for in the repository: they begin with one of its folders. */
const PATH =
  /^(?:src|webhook|docs|policies|charts|scripts|schemas|catalog|examples|test|bench|ml|tools|bin|\.github|\.ci)\/[^\s`"']*$/;
/** Placeholders and patterns name no single file. */
const PATTERN = /[*…<>{}]|\b[A-Z]{2,}\b/;

const exists = ({ files, folders }: Repository, path: string): boolean =>
  files.has(path) || folders.has(path.replace(/\/$/, ""));

function linkProblem(page: Page, target: string, repository: Repository): string | null {
  if (ELSEWHERE.test(target)) return null;
  const [path = "", anchor] = decodeURI(target).split("#");
  const file = path === "" ? page.path : posix.normalize(posix.join(posix.dirname(page.path), path));
  if (!exists(repository, file)) return `links to ${target}, which does not exist`;
  if (anchor === undefined) return null;
  const headings = repository.pages.get(file)?.headings;
  if (headings === undefined || headings.some((heading) => heading.anchor === anchor)) return null;
  return `links to ${target}, but ${file} has no heading with this anchor`;
}

function pathProblem(page: Page, code: string, repository: Repository): string | null {
  const path = code.replace(/:\d+$/, "");
  if (!PATH.test(path) || PATTERN.test(path) || page.written.includes(path)) return null;
  return exists(repository, path) ? null : `names ${path}, which does not exist`;
}

/** Links, anchors and paths in backticks of one page that lead nowhere, one line each. */
export function linkProblems(page: Page, repository: Repository): string[] {
  const report = (mentions: readonly Mention[], problemOf: typeof linkProblem): string[] =>
    mentions.flatMap(({ line, target }) => {
      const problem = problemOf(page, target, repository);
      return problem === null ? [] : [`${page.path}:${String(line)} ${problem}`];
    });
  return [...report(page.links, linkProblem), ...report(page.codes, pathProblem)];
}

/** Pages of docs/ that neither `index` nor the README.md of their own folder links to: nobody would find them. */
export function unlistedPages(index: Page, pages: readonly Page[]): string[] {
  const lists = [index, ...pages.filter(({ path }) => path.startsWith("docs/") && path.endsWith("/README.md"))];
  const listed = new Set(
    lists.flatMap(({ path, links }) =>
      links.map(({ target }) => posix.normalize(posix.join(posix.dirname(path), target.split("#")[0] ?? ""))),
    ),
  );
  return pages
    .filter(({ path }) => path.startsWith("docs/") && path !== index.path && !listed.has(path))
    .map(({ path }) => `${index.path} does not list ${path}`);
}
