import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import colors from "picocolors";
import { addBundle } from "../../src/cli/commands/bundle/bundle.ts";
import { addScaffold } from "../../src/cli/commands/scaffold/scaffold.ts";
import { addTest } from "../../src/cli/commands/test/test.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Runs the command line in this process; returns its output and exit code. Rejects with the message that main.ts would
 * print.
 */
export async function landfall(...args: string[]): Promise<{ out: string; code: number }> {
  let out = "";
  let code = 0;
  const cli = {
    root: ROOT,
    stdin: Readable.from([]),
    write: (text: string) => void (out += text),
    note: () => undefined,
    rewrite: () => undefined,
    watched: false,
    colors: colors.createColors(false),
    env: {},
    exit: (given: number) => void (code = given),
  };
  const program = new Command("landfall").exitOverride().configureOutput({ writeErr: () => undefined });
  for (const add of [addScaffold, addTest, addBundle]) add(program, cli);
  await program.parseAsync(["node", "landfall", ...args]);
  return { out, code };
}
