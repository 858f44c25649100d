import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A fenced block of a page. */
export interface Block {
  language: string;
  /** The words after the language: `file=PATH`, `settings`, `run`, `live`. */
  info: string;
  text: string;
}

/** The fenced blocks of a page, in order. */
export async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(join(root, page), "utf8");
  return [...text.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, language = "", info = "", body = ""]) => ({
    ...{ language, info, text: body },
  }));
}

/** The commands of a block with what the page shows of their output; null if it shows none. Comments and continued lines are joined. */
export function commandsOf({ language, text }: Block): { command: string; output: string | null }[] {
  if (language === "console") {
    return text
      .split(/^\$ /m)
      .filter((step) => step !== "")
      .map((step) => {
        const [command = ""] = step.split("\n", 1);
        return { command, output: step.slice(command.length + 1) };
      });
  }
  if (language !== "sh") return [];
  const lines = text.replaceAll(
    /^(.*<<END\n[\s\S]*?^END$)|\\\n/gm,
    (_, whole?: string) => whole?.replaceAll("\n", "\0") ?? " ",
  );
  return lines
    .split("\n")
    .map((line) => line.replaceAll("\0", "\n").replace(/ +# .*$/, ""))
    .filter((command) => command.trim() !== "" && !command.startsWith("#"))
    .map((command) => ({ command, output: null }));
}

/** Writes the file that a block with `file=` shows. */
export async function writeShown({ info, text }: Block, folder: string): Promise<void> {
  if (!info.startsWith("file=")) return;
  const file = join(folder, info.replace("file=", ""));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Ids and digests change with every bundle, and ages with every run. A line with `…` alone stands for any lines. */
export const patternOf = (documented: string): RegExp =>
  new RegExp(
    `^${escape(documented.trimEnd())
      .replaceAll(/decision [0-9a-f]{6}/g, "decision [0-9a-f]{6}")
      .replaceAll(/sha256:[0-9a-f]{8,64}/g, "sha256:[0-9a-f]+")
      .replaceAll(/^ *…$\n?/gm, "(?:.*\\n)*?")}\\s*$`,
  );

const TIME_SPAN = /\d+ (?:d|h|min|s)\b(?: \d+ (?:d|h|min|s)\b)*/;
/** Stands for a time span, which has one or two words. */
const SPAN = "\u0001";

/** Places, types, addresses, times and figures: with a digit, or the name of a place. */
const isOfTheMoment = (word: string): boolean =>
  /\d/.test(word) || /^(azure|aws|gcp|elemento)\b/.test(word) || /(central|north|south|east|west)$/.test(word);

function livePattern(line: string): string {
  const words = line.replaceAll(new RegExp(TIME_SPAN, "g"), SPAN).trim().split(/\s+/);
  const parts = words.map((word) =>
    word.includes(SPAN)
      ? word.split(SPAN).map(escape).join(TIME_SPAN.source)
      : isOfTheMoment(word)
        ? "\\S+"
        : escape(word),
  );
  return ` *${parts.join(" +")} *\n`;
}

/** For blocks with the word `live`: what a cluster shows at another time, of the same form. A line with `…` alone stands for any lines. */
export const livePatternOf = (documented: string): RegExp =>
  new RegExp(
    `^${documented
      .trimEnd()
      .split("\n")
      .map((line) => (line === "…" ? "(?:.*\n)*?" : livePattern(line)))
      .join("")}$`,
  );

/** The documented command with less to do: opa's tests run elsewhere, and a whole year is replayed elsewhere. */
const quick = (command: string): string =>
  command
    .replace(/(?<=^npx landfall bundle build )/, "--no-test ")
    .replace(/(?<=^npx landfall simulate )(?!.*--workload)/, "--jobs 20 --origins azure/italynorth ")
    .replace(/(?<=^npx landfall simulate )(?!.*--series)/, "--series weeks.json ");

export interface Reader {
  cwd: string;
  /** A folder with further programs. */
  programs?: string;
  isQuick?: boolean;
  env?: Readonly<Record<string, string>>;
}

/** Runs a command with bash, `npx landfall` being this project; answers what a terminal shows, and the exit code. */
export function runDocumented(command: string, { cwd, programs = "", isQuick = true, env = {} }: Reader) {
  const text = (isQuick ? quick(command) : command).replaceAll("npx landfall ", '"$NODE" "$LANDFALL" ');
  const { PATH = "", ...rest } = process.env;
  const variables = { NODE: process.execPath, LANDFALL: join(root, "bin/landfall.js"), PATH: `${programs}:${PATH}` };
  const { status, stdout, stderr } = spawnSync("bash", ["-c", `set -o pipefail; ${text}`], {
    ...{ encoding: "utf8", cwd, env: { ...rest, ...variables, ...env } },
  });
  return { code: status, shown: stderr + stdout };
}
