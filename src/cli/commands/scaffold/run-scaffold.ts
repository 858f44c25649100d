import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import type { ScaffoldFile } from "./render-template.ts";
import { writeScaffold } from "./write-scaffold.ts";

export interface ScaffoldOptions extends OutputFlags {
  dryRun?: boolean;
}

export interface Scaffold {
  base: string;
  files: readonly ScaffoldFile[];
  /** Next steps, one command or sentence each. */
  next: readonly string[];
}

/** Adds the options of `ScaffoldOptions` to a command. */
export const withScaffoldOptions = (command: Command): Command =>
  withOutput(command).option("--dry-run", "list the files without writing them");

const MANY = 40;

function list({ base, files }: Scaffold, isWide: boolean): string {
  const shown = files.length > MANY && !isWide ? files.filter(({ path }) => !path.includes("/") || isOwn(path)) : files;
  const rest = files.length - shown.length;
  return [`${base}/`, ...shown.map(({ path }) => `  ${path}`), ...(rest === 0 ? [] : [`  and ${String(rest)} more`])]
    .map((line) => `${line}\n`)
    .join("");
}

/** The files of a whole bundle that its team edits first. */
const isOwn = (path: string): boolean => /\/(settings|custom)\//.test(path);

/** Writes or lists the files, and prints the next steps. Throws CLI_SCAFFOLD_…. */
export async function runScaffold(cli: Cli, scaffold: Scaffold, options: ScaffoldOptions): Promise<void> {
  const { base, files, next } = scaffold;
  const dryRun = options.dryRun === true;
  await writeScaffold({ base, files, dryRun });
  const value = { folder: base, files: files.map(({ path }) => path), written: !dryRun, next };
  const count = `${String(files.length)} files ${dryRun ? "would be written; none was" : "written"}\n`;
  const steps = `\n${cli.colors.bold("next")}\n${next.map((step) => `  ${step}\n`).join("")}`;
  writeResult(cli, options.output, value, (isWide) => list(scaffold, isWide) + count + steps);
}
