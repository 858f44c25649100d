import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Counts } from "../../doubles/elemento/counts.ts";

const MAIN = fileURLToPath(new URL("../../doubles/elemento/main.ts", import.meta.url));
const CREDENTIALS = { username: "landfall", password: "correct horse" };
const VM = "/api/v1.0/client/vm";

test("runs as a process: prints its address, reports its counts, changes its settings, loses a machine", async () => {
  const child = spawn(process.execPath, [MAIN, "--set", "vmMs=0", "--seed", "2"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const { url } = JSON.parse(line) as { url: string };
    const post = async (path: string, body: unknown): Promise<unknown> => {
      const headers = { "content-type": "application/json" };
      return (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
    };
    await post("/api/v1/authenticate/login", CREDENTIALS);
    const request = { info: { vm_name: "a" }, slots: 1, ramsize: 1, archs: ["X86_64"], misc: { os_family: "linux" } };
    await post(`${VM}/register`, request);
    expect(await post("/_control/settings", { faultRate: 0.25 })).toMatchObject({ faultRate: 0.25, vmMs: 0 });
    expect(await post("/_control/lose", { name: "a" })).toEqual({ lost: 1 });
    const counts = (await (await fetch(`${url}/_control/counts`)).json()) as Counts;
    expect(counts.vms).toMatchObject({ alive: 0, created: 1, deleted: 0 });
  } finally {
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  }
});

test.each([
  [["--set", "nope=1"], "there is no setting nope"],
  [["--faults", "3"], "--faults 3 is no share"],
])("%j is refused", async (flags, text) => {
  const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  expect(await once(child, "exit")).toEqual([2, null]);
  expect(errors).toContain(text);
});
