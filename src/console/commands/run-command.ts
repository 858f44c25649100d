import { spawn } from "node:child_process";
import { LandfallError } from "../../errors.ts";

/** The command line of Landfall that this console belongs to. */
export interface Landfall {
  /** File of its entry. */
  main: string;
  env: NodeJS.ProcessEnv;
  /** The kubeconfig of the user; null if it is not a file. */
  kubeconfig: string | null;
  /** Options of commands that ask a registry. */
  registry: readonly string[];
}

export interface CommandRunner {
  /** Runs `landfall ARGS…` and resolves to its standard output. Throws CONSOLE_BUSY, CONSOLE_COMMAND. */
  run(args: readonly string[], signal: AbortSignal): Promise<string>;
  /** Ends what runs. */
  stop(): void;
}

/** A command takes no longer, in ms. */
const MOST_MS = 600_000;
const MOST_BYTES = 64 * 1024 * 1024;
/** Standard error is read for its last lines alone. */
const MOST_SAID = 4000;
/** Exit codes of a command that did its work: 3 says that a limit was passed. */
const DONE: readonly (number | null)[] = [0, 3];

const failed = (detail: string): LandfallError => new LandfallError("CONSOLE_COMMAND", { detail });

/** The last line of standard error without the command's name. */
function lastLine(said: string): string {
  const line = said
    .trim()
    .split("\n")
    .findLast((one) => one.trim() !== "");
  return (line ?? "it ended without a word").replace(/^landfall: /, "");
}

function runOnce({ main, env }: Landfall, args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], { env, signal, stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    let [bytes, said] = [0, ""];
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) child.kill();
      else chunks.push(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-MOST_SAID);
    });
    child.on("error", (thrown) => {
      reject(failed(signal.aborted ? "it was cancelled, or took longer than ten minutes" : thrown.message));
    });
    child.on("close", (code) => {
      if (DONE.includes(code) && bytes <= MOST_BYTES) resolve(Buffer.concat(chunks).toString("utf8"));
      else reject(failed(bytes > MOST_BYTES ? "its result is larger than 64 MiB" : lastLine(said)));
    });
  });
}

/** Runs commands of Landfall in a child process, one at a time, each for ten minutes at most. */
export function createRunner(landfall: Landfall): CommandRunner {
  const stopped = new AbortController();
  let isBusy = false;
  return {
    async run(args, signal) {
      if (isBusy) throw new LandfallError("CONSOLE_BUSY");
      isBusy = true;
      try {
        return await runOnce(landfall, args, AbortSignal.any([signal, stopped.signal, AbortSignal.timeout(MOST_MS)]));
      } finally {
        isBusy = false;
      }
    },
    stop() {
      stopped.abort();
    },
  };
}
