import { expect, it } from "vitest";
import { explainFailure } from "../../../src/composition/helm/explain-failure.ts";
import { runHelm } from "../../../src/composition/helm/run-helm.ts";

const helm = { binary: process.execPath, env: {}, kubeconfig: null };

it("returns helm's output regardless of the exit code", async () => {
  const script = "process.stdin.pipe(process.stdout); console.error('told so'); process.exitCode = 3";
  const result = await runHelm(helm, { args: ["-e", script], input: "values" });
  expect(result).toEqual({ code: 3, stdout: "values", stderr: "told so\n" });
});

it("reports that helm exceeded its time limit", async () => {
  const result = await runHelm(helm, { args: ["-e", "setInterval(() => {}, 1000)"], timeoutMs: 500 });
  expect(result).toEqual({ code: -1, stdout: "", stderr: "helm was ended after 0.5 s" });
  const failure = explainFailure({ action: "install", release: "a-1", chart: "vm", stderr: result.stderr });
  expect(failure.message).toBe("helm install of a-1 failed: helm was ended after 0.5 s");
});
