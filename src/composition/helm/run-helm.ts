import type { Readable } from "node:stream";
import { LandfallError } from "../../errors.ts";
import { endGroup } from "../../processes/end-group.ts";
import { watchMemory } from "../../processes/watch-memory.ts";
import type { Access, HelmCall, HelmResult, HelmWorker } from "./calls.ts";

export interface Helm {
  /** Path of the binary. */
  binary: string;
  /** Helm's whole environment. */
  env: Record<string, string>;
  /** Null: helm uses the cluster that it runs in. A function writes the file when helm's program is called, and only then. */
  kubeconfig: string | (() => Promise<string>) | null;
  /** Ms after which a call is ended; two minutes if omitted. */
  timeoutMs?: number;
  /** A process that installs, upgrades and uninstalls releases instead, with what opens the gateway for it. */
  worker?: { process: HelmWorker; access: Access };
}

/** Helm without a cluster. */
export type ProgramOfHelm = Omit<Helm, "kubeconfig" | "worker">;

export const TIMEOUT_MS = 120_000;
/** SIGTERM lets helm cancel its release; one that does not end within this time gets SIGKILL. */
const KILL_AFTER_MS = 30_000;
/** Ms after SIGKILL until output that a process outside of helm's group keeps open is no longer waited for. */
const GIVE_UP_MS = 500;
/** A release fits into a Secret of 1 MiB, compressed; a template that never ends to print must not end this process. */
const MAX_OUTPUT_CHARACTERS = 32 * 1024 * 1024;
/** Bytes of memory at which helm is killed. It takes 60 to 150 MB for the project's charts. */
const MAX_MEMORY = 512 * 1024 * 1024;
const TALKATIVE = `helm was ended because it printed more than ${MAX_OUTPUT_CHARACTERS} characters`;

/** A detached process outlives this one unless it is ended: a controller that lost the Lease must leave none. */
const running = new Set<number>();
process.on("exit", () => {
  for (const pid of running) endGroup(pid, "SIGTERM");
});

interface Started {
  /** Undefined if it could not be started. */
  pid?: number | undefined;
  stdout: Readable;
  stderr: Readable;
}

/** Ends helm and all that it started, whatever they do. The result cancels that, and gives the reasons if it is too late for it. */
function endLater(
  { pid, stdout, stderr }: Started,
  { timeoutMs = TIMEOUT_MS, killAfterMs = KILL_AFTER_MS, maxMemory = MAX_MEMORY }: HelmCall,
): () => string[] {
  if (pid === undefined) return () => [];
  const reasons: string[] = [];
  const killMs = timeoutMs + killAfterMs;
  const terminate = (): void => {
    reasons.push(`helm was ended after ${timeoutMs / 1000} s`);
    endGroup(pid, "SIGTERM");
  };
  const kill = (): void => {
    endGroup(pid, "SIGKILL");
  };
  const giveUp = (): void => {
    for (const stream of [stdout, stderr]) stream.destroy();
  };
  const timers = [setTimeout(terminate, timeoutMs), setTimeout(kill, killMs), setTimeout(giveUp, killMs + GIVE_UP_MS)];
  const unwatch = watchMemory(pid, maxMemory, () => {
    reasons.push(`helm was ended because it took more than ${maxMemory / 1024 ** 2} MiB of memory`);
    kill();
  });
  running.add(pid);
  return () => {
    unwatch();
    for (const timer of timers) clearTimeout(timer);
    running.delete(pid);
    return reasons;
  };
}

async function argumentsOf({ kubeconfig }: Helm, { args }: HelmCall): Promise<string[]> {
  if (kubeconfig === null) return args;
  return [...args, "--kubeconfig", typeof kubeconfig === "string" ? kubeconfig : await kubeconfig()];
}

/**
 * Runs the helm binary and returns its output, regardless of its exit code.
 *
 * Helm gets its own process group, so that Ctrl-C in a terminal ends the controller, which waits for helm, and does not
 * end helm in the middle of a release. If this process exits without waiting, helm gets SIGTERM. The result comes at the latest
 * half a second after SIGKILL, also if a process that helm started keeps its output open.
 *
 * A chart's templates can take any amount of memory and print any amount of text: helm is killed at a limit of each.
 */
export async function runHelm(helm: Helm, call: HelmCall): Promise<HelmResult> {
  const args = await argumentsOf(helm, call);
  // Loaded when it is needed: it takes longer to load than most commands take.
  const { execa } = await import("execa");
  const started = execa(helm.binary, args, {
    ...{ env: helm.env, extendEnv: false, detached: true, input: call.input ?? "", maxBuffer: MAX_OUTPUT_CHARACTERS },
    ...{ reject: false, stripFinalNewline: false },
  });
  const cancel = endLater(started, { timeoutMs: helm.timeoutMs ?? TIMEOUT_MS, ...call });
  const result = await started;
  const early = [...cancel(), ...(result.isMaxBuffer ? [TALKATIVE] : [])];
  const { exitCode, signal, stdout, stderr } = result;
  if (early.length > 0)
    return { code: -1, stdout, stderr: [stderr, ...early].filter((text) => text !== "").join("\n") };
  if (exitCode === undefined && signal === undefined)
    throw new LandfallError("TOOL_FAILED", { tool: helm.binary, detail: result.originalMessage ?? "" }, result.cause);
  return { code: exitCode ?? -1, stdout, stderr };
}
