import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import colors from "picocolors";
import type { Cli } from "../../../src/cli/cli.ts";
import { COMMANDS } from "../../../src/cli/commands/commands.ts";
import { outputError } from "../../../src/flags/option-values.ts";
import { lineOf } from "../../../src/errors.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** The program with all of its commands, without a process. */
export async function programOf(cli: Cli): Promise<Command> {
  const program = new Command("landfall").enablePositionalOptions().exitOverride();
  program.configureOutput({ outputError, writeErr: cli.note, writeOut: cli.write });
  for (const load of COMMANDS.values()) (await load())(program, cli);
  return program;
}

/** Runs a command in this process, as src/cli/main.ts does, and answers what it prints. */
export async function runCommand(args: readonly string[], input = ""): Promise<Ran> {
  const ran: Ran = { code: 0, out: "", err: "" };
  const cli: Cli = {
    ...{ root, env: {}, watched: false, colors: colors.createColors(false), rewrite: () => undefined },
    stdin: Readable.from([input]),
    write: (text) => void (ran.out += text),
    note: (text) => void (ran.err += text),
    exit: (code) => void (ran.code = code),
  };
  const program = await programOf(cli);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (thrown) {
    ran.err += `landfall: ${lineOf(thrown)}\n`;
    ran.code = 2;
  }
  return ran;
}
