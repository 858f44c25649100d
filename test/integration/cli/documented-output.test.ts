import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseDocument } from "yaml";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const SETTINGS = "team/bundle/landfall/settings/data.yaml";
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-docs-"));
  await cp(join(root, "examples"), join(folder, "examples"), { recursive: true });
  await writeFile(join(folder, "id_ed25519.pub"), "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA me@example.com\n");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Block {
  language: string;
  info: string;
  text: string;
}

/** The fenced blocks of a page: language, the words after it, content. */
async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(join(root, page), "utf8");
  return [...text.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, language = "", info = "", body = ""]) => ({
    language,
    info,
    text: body,
  }));
}

/** opa's tests of Landfall's own policies run elsewhere. */
const QUICK: Readonly<Record<string, string[]>> = { "bundle build": ["--no-test"] };

/** Runs a documented command in the page's folder; answers standard error, then standard output, as a terminal shows them. */
function run(command: string): string {
  const [words = "", file] = command.replace("npx landfall ", "").split(" > ");
  const [group = "", name = "", ...rest] = words.split(" ");
  const args = [join(root, "bin/landfall.js"), group, name, ...(QUICK[`${group} ${name}`] ?? []), ...rest];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: folder });
  return file === undefined ? stderr + stdout : stderr;
}

/** Ids and digests change with every bundle. A line with `…` alone stands for any lines. */
function patternOf(documented: string): RegExp {
  const escaped = documented
    .trimEnd()
    .replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll(/decision [0-9a-f]{6}/g, "decision [0-9a-f]{6}")
    .replaceAll(/^ *…$\n?/gm, "(?:.*\\n)*?");
  return new RegExp(`^${escaped}\\s*$`);
}

/** Runs the commands of a console block; answers how many it ran. Commands of other programs need a cluster. */
function compareConsole(text: string): number {
  const steps = text.split(/^\$ /m).filter((step) => step.startsWith("npx landfall "));
  for (const step of steps) {
    const [command = ""] = step.split("\n", 1);
    expect(run(command), command).toMatch(patternOf(step.slice(command.length + 1)));
  }
  return steps.length;
}

async function changeSettings(fragment: string): Promise<void> {
  const file = join(folder, SETTINGS);
  const settings = parseDocument(await readFile(file, "utf8"));
  for (const [key, value] of Object.entries(parseDocument(fragment).toJS() as Record<string, unknown>)) {
    const nested = typeof value === "object" && !Array.isArray(value) ? Object.entries(value ?? {}) : null;
    if (nested === null) settings.set(key, settings.createNode(value));
    else for (const [inner, of] of nested) settings.setIn([key, inner], settings.createNode(of));
  }
  await writeFile(file, settings.toString());
}

async function follow({ language, info, text }: Block): Promise<number> {
  if (info.startsWith("file=")) {
    const file = join(folder, info.replace("file=", ""));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  if (info === "settings") await changeSettings(text);
  if (info === "run") for (const command of text.trim().split("\n")) expect(run(command)).not.toContain("landfall: ");
  return language === "console" ? compareConsole(text) : 0;
}

describe("outputs in the documentation", () => {
  it.each([
    ["README.md", 2],
    ["docs/quickstart.md", 1],
    ["docs/guides/vmtemplate.md", 2],
    ["docs/guides/kaas-cluster.md", 1],
    ["docs/guides/kops.md", 1],
    ["docs/guides/platform.md", 2],
  ])("%s shows what its commands print", async (page, commands) => {
    let ran = 0;
    for (const block of await blocksOf(page)) ran += await follow(block);
    expect(ran).toBe(commands);
  });
});
