import { readdir, readFile } from "node:fs/promises";
import { join, matchesGlob, relative } from "node:path";
import { format } from "oxfmt";
import { ROOT } from "./scaffold.ts";

const { printWidth, trailingComma, ignorePatterns } = JSON.parse(
  await readFile(join(ROOT, ".oxfmtrc.json"), "utf8"),
) as { printWidth: number; trailingComma: "all"; ignorePatterns: string[] };

/** As the formatter reads a pattern: a name without a folder is meant in every folder. */
const globOf = (pattern: string): string => {
  if (pattern.endsWith("/")) return `${pattern}**`;
  return pattern.includes("/") ? pattern : `**/${pattern}`;
};

const isFormatted = async (path: string, called: string): Promise<boolean> => {
  if (!/\.(?:ts|json|ya?ml)$/.test(called)) return true;
  if (ignorePatterns.some((pattern) => matchesGlob(called, globOf(pattern)))) return true;
  const text = await readFile(path, "utf8");
  const { code, errors } = await format(called, text, { printWidth, trailingComma });
  return errors.length === 0 && code === text;
};

/** The files of a folder that are not formatted as the project's are, as if the folder stood at `called` in the project. */
export async function unformatted(folder: string, called: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const formatted = await Promise.all(files.map((file) => isFormatted(join(folder, file), join(called, file))));
  return files.filter((_, index) => !formatted[index]);
}
