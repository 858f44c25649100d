import { dirname, join } from "node:path";
import { sha256 } from "../../src/model/sha256.ts";

const IMPORT = /(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/** Declares types that other files use without an import. */
const isAmbient = (path: string, text: string): boolean =>
  path.endsWith(".d.ts") || /^\s*declare\s+(?:module|global)\b/m.test(text);

const importsOf = (path: string, text: string): string[] =>
  [...text.matchAll(IMPORT)].map(([, target = ""]) => join(dirname(path), target));

/** The file and every file of the tree that it imports, directly or not. */
function closureOf(path: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const closure = new Set([path]);
  // A set goes through what is added to it on the way.
  for (const file of closure) for (const target of imports.get(file) ?? []) closure.add(target);
  return closure;
}

/**
 * A hash for each file of `tree` (path to text) over everything that a lint with types depends on: the file, what it imports,
 * directly or not, the files with ambient types, and `common` (configuration and versions). Equal hashes have equal lint results.
 */
export function fingerprints(tree: ReadonlyMap<string, string>, common: string): Map<string, string> {
  const hashes = new Map([...tree].map(([path, text]) => [path, sha256(text)]));
  const imports = new Map([...tree].map(([path, text]) => [path, importsOf(path, text)]));
  const ambient = [...tree].filter(([path, text]) => isAmbient(path, text)).map(([path]) => path);
  const shared = [common, ...ambient.sort().map((path) => `${path} ${hashes.get(path) ?? ""}`)];
  const fingerprint = (path: string): string => {
    const closure = [...closureOf(path, imports)].sort();
    return sha256([...shared, path, ...closure.map((file) => `${file} ${hashes.get(file) ?? ""}`)].join("\n"));
  };
  return new Map([...tree.keys()].map((path) => [path, fingerprint(path)]));
}
