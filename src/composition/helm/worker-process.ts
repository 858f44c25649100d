import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { isObject } from "../../model/json.ts";
import { endGroup } from "../../processes/end-group.ts";
import { memoryOf, watchMemory } from "../../processes/watch-memory.ts";
import type { Access, ReleaseCall } from "./calls.ts";
import { HISTORY_MAX } from "./release-call.ts";

export interface WorkerProgram {
  binary: string;
  /** Its whole environment. */
  env: Record<string, string>;
  /** Bytes of memory at which it is killed. */
  maxMemory?: number;
}

/** A worker answered: `error` as helm's program would have printed it; null for success. */
export interface Answered {
  error: string | null;
}

/** The version of the protocol in tools/helm-worker/protocol.go. */
const PROTOCOL = 1;
/** Ms until the worker has said which protocol it speaks. */
const HELLO_MS = 10_000;
/** Characters of an answer's line. An error has at most 16 KiB, which JSON can make six times as long. */
const MAX_LINE = 128 * 1024;
/** Characters of the worker's standard error that are kept. */
const MAX_TAIL = 4096;
/** Go frees memory more often when the worker has this much. */
const SOFT_MEMORY = { GOMEMLIMIT: "160MiB" };
const MAX_MEMORY = 512 * 1024 * 1024;
/** Ms after the end of its input until the worker is killed. */
const END_MS = 3000;

const running = new Set<number>();
process.on("exit", () => {
  for (const pid of running) endGroup(pid, "SIGKILL");
});

/** Calls `onLine` for each line, and `onBroken` for one that is too long. */
function readLines(stream: Readable, onLine: (line: string) => void, onBroken: (why: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if ([rest, ...lines].every(({ length }) => length <= MAX_LINE)) lines.forEach(onLine);
    else onBroken(`it wrote a line of more than ${MAX_LINE} characters`);
  });
}

function parseLine(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isHello = (line: Record<string, unknown> | null): boolean => line?.["protocol"] === PROTOCOL;

function readAnswer(line: Record<string, unknown> | null): { id: number; error: string | null } | null {
  const { id, error = "" } = line ?? {};
  if (typeof id !== "number" || typeof error !== "string") return null;
  return { id, error: error === "" ? null : error };
}

function requestOf(id: number, call: ReleaseCall, access: Access, timeoutMs: number): string {
  const { verb, namespace, release } = call;
  const { chart, values, labels } = call.verb === "uninstall" ? { chart: null, values: {}, labels: {} } : call;
  const about = { id, verb, ...access, namespace, release, timeoutMs, history: HISTORY_MAX, labels, values };
  return `${JSON.stringify({ ...about, chart: chart?.directory ?? "", digest: chart?.digest ?? "" })}\n`;
}

/**
 * One process of tools/helm-worker. It has its own process group, so that Ctrl-C in a terminal ends it after its calls; it ends with its
 * input, so it never outlives this process.
 */
export class WorkerProcess {
  readonly #child;
  readonly #calls = new Map<number, (answered: Answered | null) => void>();
  readonly #unwatch: () => void;
  #nextId = 1;
  #tail = "";
  /** Why it ended, or will; null while it works. */
  #broken: string | null = null;
  /** Resolves to whether it speaks this protocol. */
  readonly ready: Promise<boolean>;
  /** Resolves when the process has ended, to the reason. */
  readonly ended: Promise<string>;

  constructor({ binary, env, maxMemory = MAX_MEMORY }: WorkerProgram) {
    this.#child = spawn(binary, [], { env: { ...env, ...SOFT_MEMORY }, detached: true, stdio: "pipe" });
    const { pid, stdin, stdout, stderr } = this.#child;
    if (pid !== undefined) running.add(pid);
    this.#unwatch =
      pid === undefined
        ? () => undefined
        : watchMemory(pid, maxMemory, () => {
            this.kill(`it took more than ${maxMemory / 1024 ** 2} MiB of memory`);
          });
    // A worker that has ended is noticed by its end.
    stdin.on("error", () => undefined);
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#tail = (this.#tail + text).slice(-MAX_TAIL);
    });
    this.ended = new Promise((resolve) => {
      const end = (why: string): void => {
        if (pid !== undefined) running.delete(pid);
        this.#unwatch();
        this.#broken ??= why;
        for (const give of this.#calls.values()) give(null);
        this.#calls.clear();
        resolve(this.#reason());
      };
      this.#child.on("error", (error) => {
        end(error.message);
      });
      this.#child.on("exit", (code, signal) => {
        end(signal === null ? `exit code ${code ?? -1}` : `signal ${signal}`);
      });
    });
    this.ready = this.#greet(stdout);
  }

  /** Bytes; 0 where the system does not say. */
  memory(): number {
    return this.#child.pid === undefined ? 0 : memoryOf(this.#child.pid);
  }

  #reason(): string {
    const tail = this.#tail.trim();
    return tail === "" ? (this.#broken ?? "") : `${this.#broken ?? ""}: ${tail.split("\n").slice(0, 3).join(" ")}`;
  }

  #greet(stdout: Readable): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.kill(`it said nothing for ${HELLO_MS / 1000} s`);
      }, HELLO_MS);
      let isGreeted = false;
      const onLine = (line: string): void => {
        const parsed = parseLine(line);
        if (isGreeted) this.#answer(parsed);
        else if (isHello(parsed)) resolve(true);
        else this.kill("it speaks another protocol");
        isGreeted = true;
        clearTimeout(timer);
      };
      readLines(stdout, onLine, (why) => {
        this.kill(why);
      });
      void this.ended.then(() => {
        clearTimeout(timer);
        resolve(false);
      });
    });
  }

  #answer(line: Record<string, unknown> | null): void {
    if (this.#broken !== null) return;
    const answer = readAnswer(line);
    const give = answer === null ? undefined : this.#calls.get(answer.id);
    if (answer === null || give === undefined) {
      this.kill("it wrote a line that is not an answer");
      return;
    }
    this.#calls.delete(answer.id);
    give({ error: answer.error });
  }

  /** Null if the worker ended before it answered, or if it did not within `giveUpMs`: it is not known what it did. */
  async call(
    call: ReleaseCall,
    access: Access,
    limits: { timeoutMs: number; giveUpMs: number },
  ): Promise<Answered | null> {
    if (this.#broken !== null) return null;
    const id = this.#nextId;
    this.#nextId += 1;
    const given = new Promise<Answered | null>((resolve) => {
      this.#calls.set(id, resolve);
    });
    this.#child.stdin.write(requestOf(id, call, access, limits.timeoutMs));
    const timer = setTimeout(() => {
      // An answer that still comes finds the call here, and is not one to nothing.
      this.#calls.get(id)?.(null);
    }, limits.giveUpMs);
    try {
      return await given;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Makes the worker ask the API server again which kinds there are. */
  reset(): void {
    if (this.#broken === null) this.#child.stdin.write(`${JSON.stringify({ id: 0, verb: "reset" })}\n`);
  }

  /** Ends its input, and kills it if it does not end by that. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => {
      this.kill("it did not end");
    }, END_MS);
    await this.ended;
    clearTimeout(timer);
  }

  kill(why: string): void {
    this.#broken ??= why;
    if (this.#child.pid !== undefined) endGroup(this.#child.pid, "SIGKILL");
  }
}
