import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { runProcess } from "../support/processes/run-process.ts";

it.each<[script: string, args: string[], told: string]>([
  ["webhook/main.ts", ["--log-level", "loud"], "--log-level"],
  ["webhook/main.ts", [], "--bundle"],
  ["webhook/main.ts", ["--port", "65536"], "a whole number from 0 to 65535"],
  ["webhook/main.ts", ["--scheduler-budget-ms", "60000"], "a whole number from 50 to 5000"],
  ["webhook/main.ts", ["--decision-log-when-full", "wait"], "drop, slow"],
  ["webhook/main.ts", ["--client-ca", "none.pem"], "no such file"],
  ["webhook/main.ts", ["--url", "http://webhook:8443"], "an https URL"],
  ["webhook/main.ts", ["--url", "https://webhook:8443/path"], "an https URL without a path"],
  ["src/composition/main.ts", ["--worker", "3"], "--worker"],
  ["src/composition/main.ts", ["--workers", "many"], "a whole number from 1 to 1000"],
  ["src/composition/main.ts", ["--resync", "0"], "above 0"],
  ["src/composition/main.ts", ["--reconsider-every", "-1"], "from 0"],
  ["src/elemento/main.ts", ["--account", "elemento"], "NAMESPACE/NAME"],
  ["src/elemento/main.ts", ["--cluster-form", "letter"], "note, intent"],
  ["src/elemento/main.ts", ["--health-port", "70000"], "65535"],
  ["src/local/main.ts", ["--twice"], "--twice"],
  ["bin/landfall.js", ["simulate", "--jobs", "0"], "a whole number from 1"],
  ["bench/versions.ts", [], "LOCAL_BENCH"],
  ["bench/versions.ts", ["../other", "--only", "all"], "--only is one of reviews, creations, objects"],
  ["bench/main.ts", ["--only", "all"], "admission, decision, composition"],
  ["bench/main.ts", ["--json", "/proc/none/figures.json"], "LOCAL_BENCH"],
])("%s %j ends with one line that says what is wrong", async (script, args, told) => {
  const { code, out, err } = await runProcess(script, args);
  const text = out + err;
  expect(code).toBeGreaterThan(0);
  expect(text).toContain(told);
  expect(text).toMatch(/\[(CLI_USAGE|LOCAL_BENCH)\]\n$/);
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
});

it.each(["webhook/main.ts", "webhook/server.ts", "src/composition/main.ts", "src/elemento/main.ts"])(
  "%s --help names its options",
  async (script) => {
    const { code, out } = await runProcess(script, ["--help"]);
    expect(code).toBe(0);
    expect(out).toContain("--kubeconfig <file>");
    expect(out).toContain("--log-level <level>");
  },
);

it.each(["src/composition/main.ts", "src/elemento/main.ts"])(
  "%s ends with one line where its health port is taken, before anything is started",
  async (script) => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const address = taken.address();
    const port = String(typeof address === "object" ? address?.port : address);
    const { code, out, err } = await runProcess(script, ["--kubeconfig", "/none", "--health-port", port]);
    expect(code).toBe(1);
    expect(err).toBe("");
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(1);
    expect((JSON.parse(lines[0] ?? "") as { error: string }).error).toMatch(/EADDRINUSE.*\[CLI_PORT\]$/);
  },
);
