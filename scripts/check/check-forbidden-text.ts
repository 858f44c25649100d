import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { listFiles } from "../list-files.ts";

// Pieces, so that this file does not hold what it looks for.
const REGISTRY_HOSTS = [
  ["registry", "npmjs", "org"],
  ["registry", "yarnpkg", "com"],
  ["pypi", "org"],
  ["pythonhosted", "org"],
  ["proxy", "golang", "org"],
  ["sum", "golang", "org"],
].map((labels) => labels.join("."));

const MACHINE_PATHS = [
  ["", "work", "main"],
  ["", "work", "shared"],
  ["", "root", ""],
  ["", "tmp", "lfbin"],
].map((parts) => parts.join("/"));

/** Lines of `text` that hold one of `needles`, as `path:line: needle`. A path counts only where no path precedes it. */
function findIn(path: string, text: string, needles: readonly string[]): string[] {
  const present = needles.filter((needle) => text.includes(needle));
  if (present.length === 0) return [];
  return text.split("\n").flatMap((line, index) =>
    present
      .filter((needle) => {
        const before = line.indexOf(needle) - 1;
        if (before === -2) return false;
        return !needle.startsWith("/") || !/[\w.)}\]-]/.test(line.charAt(before));
      })
      .map((needle) => `${path}:${index + 1}: holds ${needle}`),
  );
}

/** `String` as a callback, as in `map(String)`: the linter sees calls alone, and String() throws for an object with a field `toString`. */
function findCallbacks(path: string, text: string): string[] {
  if (!/^(?:src|webhook)\/.*\.ts$/.test(path)) return [];
  return text
    .split("\n")
    .flatMap((line, index) =>
      /[(,] ?String\)/.test(line) ? [`${path}:${index + 1}: holds String as a callback; write textOf`] : [],
    );
}

/** Host names of package registries and paths of a single machine, in files that git tracks or would add. */
export async function checkForbiddenText(root: string): Promise<string[]> {
  const files = await listFiles(root);
  // A home of `/` or the like would be found everywhere.
  const places = [root, homedir()].map((place) => join(place, "/")).filter((place) => place.length > 4);
  const needles = [...new Set([...REGISTRY_HOSTS, ...MACHINE_PATHS, ...places])];
  const found: string[] = [];
  for (const file of files) {
    const text = await readFile(join(root, file), "utf8");
    found.push(...findIn(file, text, needles), ...findCallbacks(file, text));
  }
  return found;
}
