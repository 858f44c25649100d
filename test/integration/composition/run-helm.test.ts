import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { expect, it, onTestFinished, vi } from "vitest";

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
