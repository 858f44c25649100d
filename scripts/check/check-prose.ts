import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { listFiles } from "../list-files.ts";
import { lintMarkdown } from "../prose/lint-markdown.ts";
import { lintSource } from "../prose/lint-source.ts";
import { openRules, type Rules } from "../prose/open-rules.ts";
import type { Problem } from "../prose/problem.ts";

/** Documentation, and what the programs, policies, charts and schemas say. git's `*` matches slashes, too. */
const FILES = ["*.md", "src/*.ts", "webhook/*.ts", "policies/bundle/*.rego", "charts/*/templates/**", "schemas/*.json"];

/** The files whose texts people read. */
export const proseFiles = (root: string): Promise<string[]> => listFiles(root, FILES);

async function read(root: string, file: string): Promise<string> {
  // A file that is deleted but still in the index has no text.
  return readFile(join(root, file), "utf8").catch(() => "");
}

async function lint(root: string, file: string, rules: Rules): Promise<Problem[]> {
  const text = await read(root, file);
  if (file.endsWith(".md")) return lintMarkdown(file, text, rules);
  return /_test\.rego$/.test(file) ? [] : lintSource(file, text, rules);
}

/** Sentences that are hard to read, in every text for people, as `path:line: what and what instead`. */
export async function checkProse(root: string): Promise<{ problems: string[]; notes: string[] }> {
  const files = await proseFiles(root);
  const rules = openRules();
  const found = await Promise.all(files.map((file) => lint(root, file, rules)));
  const pending = parse(await read(root, "scripts/prose/pending.yaml")) as string[] | null;
  return sortOut(found.flat(), pending ?? []);
}

function sortOut(found: readonly Problem[], pending: readonly string[]): { problems: string[]; notes: string[] } {
  const isPending = ({ file }: Problem): boolean => pending.some((start) => file.startsWith(start));
  const stale = pending.filter((start) => !found.some(({ file }) => file.startsWith(start)));
  const waiting = found.filter(isPending).length;
  const failing = found.filter((problem) => !isPending(problem));
  return {
    problems: [
      ...failing.map(({ file, line, message }) => `${file}:${line}: ${message}`),
      ...stale.map((start) => `${start} is clean: remove it from scripts/prose/pending.yaml`),
    ],
    notes: waiting === 0 ? [] : [`${waiting} findings in ${pending.join(", ")} are still to be corrected`],
  };
}
