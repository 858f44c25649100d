import { spawn } from "node:child_process";
import { LandfallError, messageOf } from "../../errors.ts";

export interface Helm {
  /** Path of the binary. */
  binary: string;
  /** The whole environment that helm sees. */
  env: Record<string, string>;
  /** Null: helm finds the cluster that it runs in. */
  kubeconfig: string | null;
}

export interface HelmCall {
  args: string[];
  /** What helm reads from standard input, e.g. values for `-f -`. */
  input?: string;
  /** Ms after which helm is ended by SIGTERM. */
  timeoutMs?: number;
}

export interface HelmResult {
  code: number;
  stdout: string;
  stderr: string;
}

const TIMEOUT_MS = 120_000;

/**
 * Runs the helm binary and answers what it printed, whatever its exit code.
 *
 * Helm gets its own process group, so that a Ctrl-C in a terminal ends the controller, which waits for helm, and not
 * helm in the middle of a release.
 */
export function runHelm(helm: Helm, call: HelmCall): Promise<HelmResult> {
  const { promise, resolve, reject } = Promise.withResolvers<HelmResult>();
  const args = helm.kubeconfig === null ? call.args : [...call.args, "--kubeconfig", helm.kubeconfig];
  const child = spawn(helm.binary, args, {
    env: helm.env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: call.timeoutMs ?? TIMEOUT_MS,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  child.on("error", (thrown) => {
    reject(new LandfallError("TOOL_FAILED", { tool: helm.binary, detail: messageOf(thrown) }, thrown));
  });
  child.on("close", (code) => {
    resolve({ code: code ?? -1, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
  });
  // Helm may end before it has read its input (a bad flag); its exit code says more than the broken pipe.
  child.stdin.on("error", () => undefined);
  child.stdin.end(call.input ?? "");
  return promise;
}
