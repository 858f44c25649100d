import { posix } from "node:path";
import ts from "typescript";

/** A file of fewer lines may not be worth the hop to it if only one other imports it. */
const SMALL_LINES = 25;

export interface FileFigures {
  /** The files that an entry loads, directly or through others, with itself. Imports of types count: a reader opens them. */
  loaded: number;
  /** Paths of the files that have one importer and fewer than 25 lines. */
  small: string[];
  lines: number;
  files: number;
}

const targetsOf = (path: string, text: string): string[] =>
  ts
    .preProcessFile(text, true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => posix.normalize(posix.join(posix.dirname(path), fileName)));

const linesOf = (text: string): number => text.replace(/\n$/, "").split("\n").length;

/** The figures of a tree: path -> text. */
export function fileFigures(tree: ReadonlyMap<string, string>, entry: string): FileFigures {
  const imports = new Map([...tree].map(([path, text]) => [path, targetsOf(path, text)]));
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path) || !tree.has(path)) return;
    loaded.add(path);
    for (const target of imports.get(path) ?? []) load(target);
  };
  load(entry);
  const importers = new Map<string, number>();
  for (const targets of imports.values())
    for (const target of new Set(targets)) importers.set(target, (importers.get(target) ?? 0) + 1);
  const small = [...tree].filter(([path, text]) => importers.get(path) === 1 && linesOf(text) < SMALL_LINES);
  const lines = [...tree.values()].reduce((sum, text) => sum + linesOf(text), 0);
  return { loaded: loaded.size, small: small.map(([path]) => path).sort(), lines, files: tree.size };
}
