import { isBuiltin } from "node:module";

const MADE = /\bconst (\w+) = createRequire\(/g;
const DIRECT = /\bcreateRequire\([^()]*\)(?:\.resolve)?\("([^"]+)"\)/g;

/** `@scope/name/dist/x` is part of the package `@scope/name`. */
const packageName = (path: string): string =>
  path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/");

/**
 * The packages that a module loads by `require` or by a function that `createRequire` made, where a bundler leaves them out. Sorted by name;
 * without files and modules of Node. Pure.
 */
export function loadedPackages(code: string): string[] {
  const loaders = ["require", ...[...code.matchAll(MADE)].map(([, name = ""]) => name)];
  const calls = new RegExp(String.raw`(?<![\w.])(?:${loaders.join("|")})(?:\.resolve)?\("([^"]+)"\)`, "g");
  const paths = [...code.matchAll(calls), ...code.matchAll(DIRECT)].map(([, path = ""]) => path);
  const packages = paths.filter((path) => !path.startsWith(".") && !isBuiltin(path)).map(packageName);
  return [...new Set(packages)].sort();
}
