import { LandfallError, toError } from "../errors.ts";
import { logTail } from "./log-tail.ts";
import { spawnProcess } from "./spawn-process.ts";
import type { ManagedProcess, ProcessSpec } from "./spawn-process.ts";

/** 0 etcd, 1 API server and registry, 2 everything that talks to them. */
export type Layer = 0 | 1 | 2;

export interface Supervisor {
  /** Starts a process; those of a higher layer are stopped before those of a lower one. */
  start(spec: ProcessSpec, layer: Layer): ManagedProcess;
  /** Rejects with LOCAL_PROCESS_DIED as soon as a process ends that nobody stopped, or when aborted; never resolves. */
  readonly failed: Promise<never>;
  /** Stops everything, the highest layer first. */
  stop(): Promise<void>;
}

function died(child: ManagedProcess, how: string): LandfallError {
  const tail = logTail(child.logFile);
  const detail = tail ? `${how}; its last lines were:\n${tail}\n` : `${how}, without a word`;
  return new LandfallError("LOCAL_PROCESS_DIED", { process: child.name, detail, log: child.logFile });
}

/**
 * Keeps a set of processes: all of them run, or the caller hears which one does not.
 * An aborted `signal` makes `failed` reject with its reason.
 */
export function supervise(signal?: AbortSignal): Supervisor {
  const layers: [ManagedProcess[], ManagedProcess[], ManagedProcess[]] = [[], [], []];
  const failure = Promise.withResolvers<never>();
  // Nobody may be listening yet when a process dies; that must not end this process.
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
