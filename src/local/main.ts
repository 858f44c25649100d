// `npm start [-- --once]`: Landfall on this machine (docs/architecture.md).
import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import { isatty } from "node:tty";
import { Command, Option } from "commander";
import { outputError, readableFile, whole } from "../flags/option-values.ts";
import { openTerminal } from "../flags/terminal.ts";
import { LandfallError, lineOf } from "../errors.ts";
import { projectPath } from "./processes/project-path.ts";
import { watchParent } from "./processes/watch-parent.ts";
import { isInterruption, runLocalMode } from "./run-local-mode.ts";

const startedAtMs = Date.now();

// 1. Flags
interface Flags {
  once?: boolean;
  examples: string;
  dir: string;
  keep?: boolean;
  speed: string;
  timeLapse: number;
  audit?: boolean;
  forecastSettings?: string;
}

const flags = new Command("local")
  .description("Landfall on this machine: a real API server, the webhook, the controllers and simulated providers")
  .configureOutput({ outputError })
  .option("--once", "exit when every example has settled, with 0 if each ended as expected")
  .addOption(
    new Option("--examples <dir>", "folder of the objects to apply").default(projectPath("examples"), "examples"),
  )
  .addOption(
    new Option("--dir <dir>", "folder for data, logs and the kubeconfig").default(
      projectPath(".landfall"),
      ".landfall",
    ),
  )
  .option("--keep", "keep the data of the previous run")
  .option("--speed <number>", "run the simulated providers this many times as fast", "1")
  .option(
    "--time-lapse <number>",
    "so many seconds of a run that may pause take one second, once its machine is ready",
    whole(1, 1_000_000),
    3600,
  )
  .option("--forecast-settings <file>", "sources of forecasts for the webhook and the console (YAML)", readableFile)
  .option("--audit", "write the requests of Landfall's accounts to the API server into logs/audit.log")
  .parse()
  .opts<Flags>();

// 2. Signals
const interruption = new AbortController();
const interrupt = (signal: string): void => {
  interruption.abort(new LandfallError("LOCAL_INTERRUPTED", { signal }));
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
// npm passes no signal on when it is killed. Without npm, the user may want local mode to outlive the shell.
if (process.env["npm_lifecycle_event"] !== undefined) {
  watchParent(() => {
    interrupt("the end of npm");
  });
}

// 3. Wiring
const { stdout } = process;
// A file or a pipe gets no colours, in CI too.
const terminal = openTerminal(isatty(1) && stdout.hasColors(), randomInt(2 ** 40 - 1));

try {
  const good = await runLocalMode({
    examples: resolve(flags.examples),
    dir: resolve(flags.dir),
    keep: flags.keep === true,
    once: flags.once === true,
    speed: Number(flags.speed),
    timeLapse: flags.timeLapse,
    audit: flags.audit === true,
    forecasts: flags.forecastSettings === undefined ? null : resolve(flags.forecastSettings),
    startedAtMs,
    env: process.env,
    signal: interruption.signal,
    write: (text) => void stdout.write(terminal.safe(`${text}\n`)),
    onEnter: (call) => {
      process.stdin.on("data", call);
    },
    colors: terminal.colors,
  });
  process.exitCode = good ? 0 : 1;
} catch (thrown) {
  const interrupted = isInterruption(thrown);
  if (!interrupted) process.stderr.write(terminal.safe(`${lineOf(thrown)}\n`));
  process.exitCode = interrupted ? 130 : 1;
}
// A probe or a request that is still running must not keep the process alive.
process.exit();
