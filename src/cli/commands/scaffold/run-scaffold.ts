import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { requireOutput, writeValue } from "../../options/decision-options.ts";
import type { ScaffoldFile } from "./render-template.ts";
import { writeScaffold } from "./write-scaffold.ts";

export interface ScaffoldOptions {
  dryRun?: boolean;
  output: string;
}

export interface Scaffold {
  base: string;
  files: readonly ScaffoldFile[];
  /** Next steps, one command or sentence each. */
  next: readonly string[];
}

/** Adds the options of `ScaffoldOptions` to a command. */
export const withScaffoldOptions = (command: Command): Command =>
  command
    .option("--dry-run", "list the files without writing them")
    .option("-o, --output <format>", "text or json", "text");

const MANY = 40;

function list({ base, files }: Scaffold): string {
  const shown = files.length > MANY ? files.filter(({ path }) => !path.includes("/") || isOwn(path)) : files;
  const rest = files.length - shown.length;
  return [`${base}/`, ...shown.map(({ path }) => `  ${path}`), ...(rest === 0 ? [] : [`  and ${String(rest)} more`])]
    .map((line) => `${line}\n`)
    .join("");
}

/** The files of a whole bundle that its team edits first. */
const isOwn = (path: string): boolean => /\/(settings|custom)\//.test(path);

/** Writes or lists the files, and prints the next steps. Throws CLI_SCAFFOLD_…. */
export async function runScaffold(cli: Cli, scaffold: Scaffold, options: ScaffoldOptions): Promise<void> {
  requireOutput(options, ["text", "json"]);
  const { base, files, next } = scaffold;
  const dryRun = options.dryRun === true;
  await writeScaffold({ base, files, dryRun });
  if (options.output === "json") {
    writeValue(cli, { folder: base, files: files.map(({ path }) => path), written: !dryRun, next }, "json");
    return;
  }
  cli.write(list(scaffold));
  cli.write(`${String(files.length)} files ${dryRun ? "would be written; none was" : "written"}\n`);
  cli.write(`\n${cli.colors.bold("next")}\n${next.map((step) => `  ${step}\n`).join("")}`);
}
