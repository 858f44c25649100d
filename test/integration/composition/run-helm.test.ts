import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { expect, it, onTestFinished, vi } from "vitest";
import { runHelm } from "../../../src/composition/helm/run-helm.ts";

const RUN_HELM = new URL("../../../src/composition/helm/run-helm.ts", import.meta.url).href;
/** Says when it runs, and that it got SIGTERM. */
const HELM = `#!/bin/sh
trap 'echo ended >>"$1"; exit 1' TERM
echo runs >>"$1"
for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.5 & wait $!; done
`;

it("terminates a running helm when the process exits", async () => {
  const folder = await mkdtemp(join(tmpdir(), "landfall-run-helm-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [binary, log] = [join(folder, "helm"), join(folder, "log")];
  await writeFile(binary, HELM, { mode: 0o755 });
  const helm = JSON.stringify({ binary, kubeconfig: null, env: { PATH: process.env["PATH"] } });
  const program = `
    import { runHelm } from ${JSON.stringify(RUN_HELM)};
    process.once("SIGUSR2", () => process.exit(1));
    await runHelm(${helm}, { args: [${JSON.stringify(log)}] });`;
  const controller = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: "inherit" });
  const wrote = (): Promise<string> => readFile(log, "utf8");
  await vi.waitFor(async () => expect(await wrote()).toBe("runs\n"), 10_000);
  controller.kill("SIGUSR2");
  expect(await once(controller, "exit")).toEqual([1, null]);
  await vi.waitFor(async () => expect(await wrote()).toBe("runs\nended\n"), 2000);
});

/** Ignores SIGTERM, and starts two processes that keep its output open: one in its process group, one in a group of its own. */
const HANGS = `#!/bin/sh
trap '' TERM
sleep 300 & echo $! >>"$1"
setsid sleep 300 & echo $! >>"$1"
echo "an error of helm" >&2
while true; do sleep 0.1; done
`;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it("returns at its time limit although helm ignores it and processes of helm's keep its output open", async () => {
  const folder = await mkdtemp(join(tmpdir(), "landfall-run-helm-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [binary, log] = [join(folder, "helm"), join(folder, "log")];
  await writeFile(binary, HANGS, { mode: 0o755 });
  const env = { PATH: process.env["PATH"] ?? "" };
  const began = performance.now();
  const result = await runHelm({ binary, kubeconfig: null, env }, { args: [log], timeoutMs: 1000, killAfterMs: 500 });
  expect(result).toEqual({ code: -1, stdout: "", stderr: "an error of helm\n\nhelm was ended after 1 s" });
  expect(performance.now() - began).toBeLessThan(30_000);
  const pids = (await readFile(log, "utf8")).trim().split("\n").map(Number);
  onTestFinished(() => void (isAlive(pids[1] ?? 0) && process.kill(pids[1] ?? 0, "SIGKILL")));
  expect(pids).toHaveLength(2);
  await vi.waitFor(() => expect(isAlive(pids[0] ?? 0)).toBe(false), 5000);
});
