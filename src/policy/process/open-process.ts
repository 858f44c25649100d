import { type ChildProcess, fork } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { watchMemory } from "../../processes/watch-memory.ts";
import { readProgress, type SeenProgress } from "./progress.ts";

/** Most garbage is short-lived: a small young generation saves memory and costs no speed. */
const HEAP = ["--max-semi-space-size=4", "--max-old-space-size=256"];
/**
 * MiB of machine code of all modules, which is outside of their memory and of the heap. V8 compiles a function when it is first called, so the
 * process ends while the module that needs too much is at work. OPA's modules compile to about ten times their size.
 */
const CODE = ["--wasm-max-committed-code-mb=128"];
/** Of all memory together. A module's own memory counts, and what compilers need for a moment. */
const MEMORY_MIB = 512;
/** docs/internals/benchmarks.md measures them. */
const SPEED = [
  ...["--no-parallel-scavenge", "--v8-pool-size=1", "--no-allocation-site-pretenuring"],
  ...["--always-sparkplug", "--no-separate-gc-phases", "--wasm-tiering-budget=1000000"],
];
/** The process's environment: the paths and secrets of this one are none of its business. */
const PASSED = ["NODE_COMPILE_CACHE", "LANG", "LC_ALL", "TZ"];
/** Characters of the last words of a process. */
const LAST_WORDS = 4096;

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A process that runs bundles: it may take all of its memory and hang without harm to this one. */
export interface PolicyProcess {
  /** Sends messages; none if it has ended. */
  send(messages: unknown): void;
  progress(): SeenProgress;
  /** Ends it immediately, whatever it does. */
  kill(): void;
}

/** How a process ended. */
export interface PolicyProcessEnd {
  detail: string;
  /** Whether it ended for want of memory: its own, or the machine's. */
  ofMemory: boolean;
}

interface Setup<Message> {
  /** The module that the process runs. */
  entry: URL;
  /** Of this process: the new one gets little of it; all if omitted. */
  env: Environment | undefined;
  onMessages: (messages: Message[]) => void;
  /** Called once if it ends without `kill`. */
  onEnd: (end: PolicyProcessEnd) => void;
}

/** All that run: none may outlive this process, also if it ends early. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Open for this process and the new one, without a name. */
function progressFile(): number {
  const folder = mkdtempSync(join(tmpdir(), "landfall-progress-"));
  const file = openSync(join(folder, "progress"), "wx+", 0o600);
  rmSync(folder, { recursive: true });
  return file;
}

const TOO_LARGE = `the process that runs the bundles took more than ${String(MEMORY_MIB)} MiB of memory`;

/** V8 says why it ends a process. SIGKILL comes from the kernel, when the machine has no memory left. */
function endOf(lastWords: string, code: number | null, signal: string | null): PolicyProcessEnd {
  const fatal = /FATAL ERROR: ([\w .,:-]{1,200})/.exec(lastWords)?.[1]?.trim();
  const how = signal === null ? `with ${String(code)}` : `by ${signal}`;
  return {
    detail: `the process that runs the bundles has ended ${how}${fatal === undefined ? "" : `: ${fatal}`}`,
    ofMemory: signal === "SIGKILL" || /\b(?:heap|memory|code space)\b/i.test(fatal ?? ""),
  };
}

/** Starts a process with this first message. */
export function openProcess<Message>(first: object, setup: Setup<Message>): PolicyProcess {
  const { entry, env, onMessages, onEnd } = setup;
  const file = progressFile();
  const child = fork(entry, [], {
    serialization: "advanced",
    execArgv: [...HEAP, ...CODE, ...SPEED],
    ...(env === undefined ? {} : { env: Object.fromEntries(PASSED.map((name) => [name, env[name]])) }),
    // PROGRESS_FILE is the last. Nothing that it writes reaches the output of this process.
    stdio: ["ignore", "ignore", "pipe", "ipc", file],
  });
  running.add(child);
  let lastWords = "";
  let ended = false;
  let isTooLarge = false;
  const unwatch = watchMemory(child.pid ?? 0, MEMORY_MIB * 1024 ** 2, () => {
    // It ends in the midst of its work, which its progress names.
    isTooLarge = true;
    child.kill("SIGKILL");
  });
  const end = (how: PolicyProcessEnd): void => {
    running.delete(child);
    unwatch();
    if (ended) return;
    ended = true;
    onEnd(how);
    closeSync(file);
  };
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    lastWords = (lastWords + text).slice(-LAST_WORDS);
  });
  child.on("message", (messages) => {
    onMessages(messages as Message[]);
  });
  child.once("error", (thrown) => {
    end({ detail: thrown.message, ofMemory: false });
  });
  child.once("close", (code, signal) => {
    end(isTooLarge ? { detail: TOO_LARGE, ofMemory: true } : endOf(lastWords, code, signal));
  });
  const send = (messages: unknown): void => {
    // A message to a process that has just ended is lost with it.
    if (child.connected) child.send(messages as object, () => undefined);
  };
  send(first);
  return {
    send,
    progress: () => readProgress(file),
    kill: () => {
      if (!ended) closeSync(file);
      ended = true;
      child.kill("SIGKILL");
    },
  };
}
