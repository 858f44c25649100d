// `npm run figures [-- COMMIT...]`: how many files an admission loads, how many files are small and have one importer, and how many
// lines there are, in the working tree and at these commits.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Table from "cli-table3";
import { execa } from "execa";
import { fileFigures } from "./check/file-figures.ts";
import { listFiles } from "./list-files.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["src", "webhook"];
const isSource = (path: string): boolean => path.endsWith(".ts") && !path.endsWith(".d.ts");

async function workingTree(): Promise<Map<string, string>> {
  const paths = (await listFiles(root, FOLDERS)).filter(isSource);
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), "utf8")] as const)),
  );
}

async function treeOf(commit: string): Promise<Map<string, string>> {
  const git = async (...args: string[]): Promise<string> =>
    (await execa("git", args, { cwd: root, stripFinalNewline: false })).stdout;
  const paths = (await git("ls-tree", "-r", "-z", "--name-only", commit, ...FOLDERS)).split("\0").filter(isSource);
  const tree = new Map<string, string>();
  for (const path of paths) tree.set(path, await git("show", `${commit}:${path}`));
  return tree;
}

const head = ["", "files that an admission loads", "files with one importer, under 25 lines", "lines", "files"];
const table = new Table({ head, style: { head: [], border: [] } });
const add = (name: string, tree: ReadonlyMap<string, string>): void => {
  const { loaded, small, lines, files } = fileFigures(tree, "src/admission/admit.ts");
  table.push([name, loaded, small.length, lines, files]);
};
for (const commit of process.argv.slice(2)) add(commit, await treeOf(commit));
add("working tree", await workingTree());
process.stdout.write(`${table.toString()}\n`);
