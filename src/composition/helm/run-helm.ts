import { LandfallError } from "../../errors.ts";

export interface Helm {
  /** Path of the binary. */
  binary: string;
  /** Helm's whole environment. */
  env: Record<string, string>;
  /** Null: helm uses the cluster that it runs in. */
  kubeconfig: string | null;
}

export interface HelmCall {
  args: string[];
  /** What helm reads from standard input, e.g. values for `-f -`. */
  input?: string;
  /** Ms after which helm receives SIGTERM. */
  timeoutMs?: number;
}

export interface HelmResult {
  code: number;
  stdout: string;
  stderr: string;
}

const TIMEOUT_MS = 120_000;
/** SIGTERM lets helm cancel its release; one that does not end within this time gets SIGKILL. */
const KILL_AFTER_MS = 30_000;
const MAX_OUTPUT_CHARACTERS = 256 * 1024 * 1024;

/** A detached process outlives this one unless it is told to end: a controller that lost the Lease must leave none. */
const running = new Set<{ kill(signal: "SIGTERM"): boolean }>();
process.on("exit", () => {
  for (const one of running) one.kill("SIGTERM");
});

/**
 * Runs the helm binary and returns its output, regardless of its exit code.
 *
 * Helm gets its own process group, so that Ctrl-C in a terminal ends the controller, which waits for helm, and does not
 * end helm in the middle of a release. If this process exits without waiting, helm gets SIGTERM.
 */
export async function runHelm(helm: Helm, call: HelmCall): Promise<HelmResult> {
  const args = helm.kubeconfig === null ? call.args : [...call.args, "--kubeconfig", helm.kubeconfig];
  const { input = "", timeoutMs = TIMEOUT_MS } = call;
  // Loaded when it is needed: it takes longer to load than most commands take.
  const { execa } = await import("execa");
  const started = execa(helm.binary, args, {
    ...{ env: helm.env, extendEnv: false, detached: true, input },
    ...{ timeout: timeoutMs, forceKillAfterDelay: KILL_AFTER_MS, maxBuffer: MAX_OUTPUT_CHARACTERS },
    ...{ reject: false, stripFinalNewline: false },
  });
  running.add(started);
  const result = await started.finally(() => running.delete(started));
  const { exitCode, signal, stdout, stderr, timedOut } = result;
  if (exitCode === undefined && signal === undefined)
    throw new LandfallError("TOOL_FAILED", { tool: helm.binary, detail: result.originalMessage ?? "" }, result.cause);
  const note = timedOut ? `helm was ended after ${timeoutMs / 1000} s` : "";
  return { code: exitCode ?? -1, stdout, stderr: [stderr, note].filter((text) => text !== "").join("\n") };
}
