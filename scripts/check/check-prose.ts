import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listFiles } from "../list-files.ts";
import { lintMarkdown } from "../prose/lint-markdown.ts";
import { lintSource } from "../prose/lint-source.ts";
import { openRules, type Rules } from "../prose/open-rules.ts";
import type { Problem } from "../prose/problem.ts";

/** Documentation, and what the programs, policies, charts and schemas say. git's `*` matches slashes, too. */
const FILES = [
  "*.md",
  "src/*.ts",
  "webhook/*.ts",
  "web/*.ts",
  "web/*.tsx",
  "policies/bundle/*.rego",
  "charts/*/templates/**",
  "charts/*/crds/*.yaml",
  "charts/*/definitions/*.yaml",
  "charts/*/rbac/*.yaml",
  "schemas/*.json",
];

/** The files whose texts people read. */
export const proseFiles = (root: string): Promise<string[]> => listFiles(root, FILES);

async function lint(root: string, file: string, rules: Rules): Promise<Problem[]> {
  const text = await readFile(join(root, file), "utf8");
  if (file.endsWith(".md")) return lintMarkdown(file, text, rules);
  return /_test\.rego$/.test(file) ? [] : lintSource(file, text, rules);
}

/** Sentences that are hard to read, in every text for people, as `path:line: what and what instead`. */
export async function checkProse(root: string): Promise<string[]> {
  const rules = openRules();
  const found = await Promise.all((await proseFiles(root)).map((file) => lint(root, file, rules)));
  return found.flat().map(({ file, line, message }) => `${file}:${line}: ${message}`);
}
