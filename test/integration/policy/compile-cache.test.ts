import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openScanner } from "../../../src/audit/process/open-scanner.ts";
import { describeApart } from "../../../src/policy/process/read-apart.ts";
import { startProcess } from "../../../webhook/decisions/start-process.ts";
import { policyFile } from "../../support/load-policy.ts";

const bytes = await readFile(await policyFile());
const trust = { mode: "off", keys: [], identities: [], root: null } as const;
const bundle = { bytes, ref: "test", trust, signed: false };
const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));

/** The modules of a compile cache that is empty before `work`. */
async function compiledBy(work: (env: { NODE_COMPILE_CACHE: string }) => Promise<void>): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-compiled-"));
  folders.push(folder);
  await work({ NODE_COMPILE_CACHE: folder });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

// SIGKILL ends these processes. Without what the first of them compiled, each takes twice the processor time to start.
it("keeps what the process of decisions compiled", async () => {
  const compiled = await compiledBy(async (env) => {
    const decider = startProcess({
      ...{ ...bundle, keys: [Buffer.alloc(32, 7)], events: [], forecasts: null, timeoutMs: 8000, logLabels: null },
      ...{ onReserved: () => undefined, env },
    });
    await decider.ready;
    await decider.stop();
  });
  expect(compiled).toBeGreaterThan(100);
});

it("keeps what the process of a scan compiled", async () => {
  const compiled = await compiledBy(async (env) => {
    const bundles = { ...bundle, others: [], absent: [], slowMs: Infinity };
    const scanner = await openScanner(bundles, { env });
    scanner.stop();
  });
  expect(compiled).toBeGreaterThan(100);
});

it("keeps what the process compiled that reads bundles", async () => {
  const compiled = await compiledBy(async (env) => {
    await describeApart(bundle, { env });
  });
  expect(compiled).toBeGreaterThan(50);
});
