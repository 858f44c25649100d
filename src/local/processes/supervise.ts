import { readFileSync } from "node:fs";
import { LandfallError, toError } from "../../errors.ts";
import { spawnProcess } from "./spawn-process.ts";
import type { ManagedProcess, ProcessSpec } from "./spawn-process.ts";

/** 0 etcd, 1 API server and registry, 2 everything that talks to them. */
export type Layer = 0 | 1 | 2;

export interface Supervisor {
  /** Starts a process; those of a higher layer are stopped before those of a lower one. */
  start(spec: ProcessSpec, layer: Layer): ManagedProcess;
  /** Rejects with LOCAL_PROCESS_DIED when a process ends that was not stopped, or when aborted; never resolves. */
  readonly failed: Promise<never>;
  /** Stops everything, the highest layer first. */
  stop(): Promise<void>;
}

const TAIL = { lines: 12, lineLength: 400 };

/** The last lines of a log, each shortened; empty if there is no log. */
function logTail(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return "";
  }
  const lines = text.trimEnd().split("\n").slice(-TAIL.lines);
  return lines.map((line) => (line.length > TAIL.lineLength ? `${line.slice(0, TAIL.lineLength)}…` : line)).join("\n");
}

function died(child: ManagedProcess, how: string): LandfallError {
  const tail = logTail(child.logFile);
  const detail = tail ? `${how}; its last lines were:\n${tail}\n` : `${how}, without a word`;
  return new LandfallError("LOCAL_PROCESS_DIED", { process: child.name, detail, log: child.logFile });
}

/**
 * Supervises a set of processes: when one ends, `failed` rejects with its name and the end of its log.
 * An aborted `signal` makes `failed` reject with its reason.
 */
export function supervise(signal?: AbortSignal): Supervisor {
  const layers: [ManagedProcess[], ManagedProcess[], ManagedProcess[]] = [[], [], []];
  const failure = Promise.withResolvers<never>();
  // A process may die before a caller waits for it: that must not be an unhandled rejection.
  failure.promise.catch(() => undefined);
  let stopping = false;
  signal?.addEventListener("abort", () => {
    failure.reject(toError(signal.reason));
  });
  return {
    failed: failure.promise,
    start(spec, layer) {
      const child = spawnProcess(spec);
      layers[layer].push(child);
      void child.exited.then((how) => {
        if (!stopping) failure.reject(died(child, how));
      });
      return child;
    },
    async stop() {
      stopping = true;
      for (const layer of layers.toReversed()) await Promise.all(layer.map((child) => child.stop()));
    },
  };
}
