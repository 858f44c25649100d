import { posix } from "node:path";
import { inlineMentions, type Mention, type Page, textOf } from "./read-pages.ts";

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

/** A file or folder below the one that a section is about: `check/`, `admit.ts`. */
const BELOW = /^[a-z][\w/-]*(?:\/|\.ts)$/;

/** The folder that a heading "Inside FOLDER" names. */
const folderIn = (heading: string): string | null => /^Inside ((?:src|webhook)\/\S+)$/.exec(heading)?.[1] ?? null;

const pathsBelow = (tokens: Page["tokens"]): Mention[] =>
  inlineMentions(tokens, ({ type, content }) =>
    type === "code_inline" && BELOW.test(content) && !PATH.test(content) ? content : null,
  );

/** The files and folders in backticks of each section with the heading "Inside FOLDER". */
function sectionsInside({ tokens }: Page): [folder: string, paths: Mention[]][] {
  const starts = tokens.flatMap(({ type }, index) => (type === "heading_open" ? [index] : []));
  return starts.flatMap((start, index): [string, Mention[]][] => {
    const heading = tokens[start + 1];
    const folder = heading === undefined ? null : folderIn(textOf(heading));
    return folder === null ? [] : [[folder, pathsBelow(tokens.slice(start, starts[index + 1]))]];
  });
}

/** In sections "Inside FOLDER": paths that do not exist below the folder, and folders below it that the section omits. */
function insideProblems(page: Page, repository: Repository): string[] {
  return sectionsInside(page).flatMap(([folder, mentions]) => {
    const missing = mentions.filter(({ target }) => !exists(repository, `${folder}/${target}`));
    const below = [...repository.folders]
      .filter((path) => posix.dirname(path) === folder)
      .map((path) => posix.basename(path));
    const omitted = below.filter((name) => !mentions.some(({ target }) => target.startsWith(`${name}/`)));
    return [
      ...missing.map(
        ({ line, target }) => `${page.path}:${String(line)} names ${folder}/${target}, which does not exist`,
      ),
      ...omitted.map((name) => `${page.path}: its section "Inside ${folder}" does not name ${name}/`),
    ];
  });
}

/** Links, anchors and paths in backticks of one page that lead nowhere, one line each. */
export function linkProblems(page: Page, repository: Repository): string[] {
  const report = (mentions: readonly Mention[], problemOf: typeof linkProblem): string[] =>
    mentions.flatMap(({ line, target }) => {
      const problem = problemOf(page, target, repository);
      return problem === null ? [] : [`${page.path}:${String(line)} ${problem}`];
    });
  return [...report(page.links, linkProblem), ...report(page.codes, pathProblem), ...insideProblems(page, repository)];
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
