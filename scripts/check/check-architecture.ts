import { glob, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { architectureProblems } from "./architecture-problems.ts";

/** Every TypeScript file of the project: path from `root` with slashes -> text. */
async function readTree(root: string): Promise<Map<string, string>> {
  const tree = new Map<string, string>();
  for await (const path of glob("{src,webhook,web,scripts,bench,test}/**/*.{ts,tsx}", { cwd: root })) {
    tree.set(path.split(sep).join("/"), await readFile(join(root, path), "utf8"));
  }
  return tree;
}

/** Problems and warnings of the project at `root`; see architecture-rules.ts. */
export async function checkArchitecture(root: string): Promise<{ problems: string[]; warnings: string[] }> {
  return architectureProblems(await readTree(root));
}
