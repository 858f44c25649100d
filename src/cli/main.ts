import { randomInt } from "node:crypto";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { outputError } from "../flags/option-values.ts";
import { lineOf } from "../errors.ts";
import { VERSION } from "../model/names.ts";
import { type Cli, EXIT } from "./cli.ts";
import { openTerminal } from "../flags/terminal.ts";
import { givenOnce } from "./options/given-once.ts";
import { withOtherTools } from "./options/other-tools.ts";
import { COMMANDS } from "./commands/commands.ts";

const { stdin, stdout, stderr, env } = process;
// picocolors enables colours whenever CI is set; a file or a pipe must stay plain.
const terminal = openTerminal(isatty(1) && stdout.hasColors(), randomInt(2 ** 40 - 1));
const cli: Cli = {
  root: fileURLToPath(new URL("../..", import.meta.url)),
  stdin,
  write: (text) => void stdout.write(terminal.safe(text)),
  note: (text) => void stderr.write(terminal.safe(text)),
  watched: isatty(2),
  rewrite: (line) => void stderr.write(line === "" ? "\r\u001b[K" : `\r${terminal.safe(line)}`),
  colors: terminal.colors,
  env,
  exit: (code) => void (process.exitCode = code),
};

// `landfall plan … | head` closes the pipe early, which is not an error.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

const program = new Command("landfall")
  .description("Decides where and when cloud workloads land.")
  .version(VERSION, "--version", "print the version")
  // `landfall bundle build --version 7` is the option of that command.
  .enablePositionalOptions()
  .exitOverride()
  .configureOutput({
    outputError: (text, print) => {
      outputError(withOtherTools(text, process.argv[2]), print);
    },
    writeErr: cli.note,
  });

async function addCommands(name: string | undefined): Promise<void> {
  if (name === "--version") return;
  // Completion tells of all commands.
  const named = name === "completion" ? undefined : COMMANDS.get(name ?? "");
  const loads = named === undefined ? [...COMMANDS.values()] : [named];
  for (const add of await Promise.all(loads.map((load) => load()))) add(program, cli);
  givenOnce(program);
}

try {
  await addCommands(process.argv[2]);
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : EXIT.badInput;
  else {
    cli.note(`landfall: ${lineOf(thrown)}\n`);
    process.exitCode = EXIT.badInput;
  }
}
