// `node scripts/lint/main.ts [FILE...]`: eslint over the project, or over these files. A file is left out if it was clean before,
// and neither it nor anything that it imports nor the configuration has changed: ESLint's own cache does not see that a type in
// another file has changed, and most of the time goes to rules that need types.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import { listFiles } from "../list-files.ts";
import { chooseFiles } from "./choose-files.ts";
import { fingerprints } from "./fingerprints.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const CACHE = join(root, ".landfall/cache/lint.json");
/** What the result of every file depends on. */
const COMMON = ["eslint.config.js", "tsconfig.json", "package-lock.json"];

function readClean(): Set<string> {
  if (!existsSync(CACHE)) return new Set();
  return new Set(JSON.parse(readFileSync(CACHE, "utf8")) as string[]);
}

const files = await listFiles(root);
const sources = files.filter((file) => /\.(?:[cm]?js|ts)$/.test(file));
const read = (file: string): string => readFileSync(join(root, file), "utf8");
// Types come from imported JSON, too.
const tree = files.filter((file) => /\.(?:[cm]?js|ts|json)$/.test(file));
const prints = fingerprints(new Map(tree.map((file) => [file, read(file)])), COMMON.map(read).join("\n"));
const named = process.argv.slice(2).map((file) => relative(root, resolve(file)));
const clean = readClean();
const { todo, unknown } = chooseFiles(sources, named, (file) => clean.has(prints.get(file) ?? ""));

const eslint = new ESLint({ cwd: root, warnIgnored: false });
// To ESLint no file means the whole folder.
const results = todo.length === 0 ? [] : await eslint.lintFiles(todo);
const isClean = ({ errorCount, warningCount }: ESLint.LintResult): boolean => errorCount + warningCount === 0;
const cleanNow = results.filter(isClean).map(({ filePath }) => prints.get(relative(root, filePath)) ?? "");
// Those of earlier states of a file stay while they are few: a branch is left and entered again.
const known = [...cleanNow, ...clean].slice(0, 20_000);
mkdirSync(dirname(CACHE), { recursive: true });
writeFileSync(CACHE, JSON.stringify([...new Set(known)]));
process.stdout.write(await (await eslint.loadFormatter("stylish")).format(results));
process.stdout.write(`${String(todo.length)} of ${String(sources.length)} files linted, the others had not changed\n`);
for (const file of unknown) process.stderr.write(`there is no source file ${file}\n`);
process.exitCode = results.every(isClean) && unknown.length === 0 ? 0 : 1;
