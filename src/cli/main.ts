import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import colors from "picocolors";
import { outputError } from "../command-line/option-values.ts";
import { lineOf } from "../errors.ts";
import { type Cli, EXIT } from "./cli.ts";
import { addAudit } from "./commands/audit.ts";
import { addBundle } from "./commands/bundle/bundle.ts";
import { addDiff } from "./commands/diff/diff.ts";
import { addExplain } from "./commands/explain.ts";
import { addExport } from "./commands/kops/export.ts";
import { addImpact } from "./commands/impact/impact.ts";
import { addImport } from "./commands/kops/import.ts";
import { addPlan } from "./commands/plan.ts";
import { addScaffold } from "./commands/scaffold/scaffold.ts";
import { addSimulate } from "./commands/simulate/simulate.ts";
import { addTest } from "./commands/test/test.ts";

const { stdin, stdout, stderr, env } = process;
const cli: Cli = {
  root: fileURLToPath(new URL("../..", import.meta.url)),
  stdin,
  write: (text) => void stdout.write(text),
  note: (text) => void stderr.write(text),
  watched: isatty(2),
  // picocolors' own guess paints wherever CI is set; a file or a pipe must stay plain.
  colors: colors.createColors(isatty(1) && stdout.hasColors()),
  env,
  exit: (code) => void (process.exitCode = code),
};

// `landfall plan … | head` closes the pipe early; that is no failure of ours.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

const program = new Command("landfall")
  .description("Decides where and when cloud workloads land.")
  .exitOverride()
  .configureOutput({ outputError });

// One line per command, in the order of the help text. Each command lies in a file of its own.
addExplain(program, cli);
addPlan(program, cli);
addDiff(program, cli);
addTest(program, cli);
addAudit(program, cli);
addBundle(program, cli);
addImpact(program, cli);
addSimulate(program, cli);
addScaffold(program, cli);
addExport(program, cli);
addImport(program, cli);

try {
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : EXIT.badInput;
  else {
    stderr.write(`landfall: ${lineOf(thrown)}\n`);
    process.exitCode = EXIT.badInput;
  }
}
