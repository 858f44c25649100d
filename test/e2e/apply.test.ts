import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { decide } from "../../src/admission/decide.ts";
import type { WorkloadObject } from "../../src/admission/workload-object.ts";
import type { Report } from "../../src/cli/format-impact.ts";
import { messageOf } from "../../src/errors.ts";
import { startLandfall, type Landfall } from "../../src/local/start-landfall.ts";
import type { Placement } from "../../src/model/decision.ts";
import { ANNOTATION } from "../../src/model/names.ts";
import { context, vm } from "../support/admission.ts";
import { loadPolicy, policyFile } from "../support/load-policy.ts";

const run = promisify(execFile);
let base: string;
let landfall: Landfall;
let kubectl: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-apply-"));
  const components = ["webhook", "composition"] as const;
  landfall = await startLandfall({ dir: join(base, "plane"), env: process.env, components });
  kubectl = await landfall.tool("kubectl");
});

afterAll(async () => {
  await landfall.stop();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

async function apply(object: WorkloadObject, ...flags: string[]): Promise<string> {
  const file = join(base, "object.yaml");
  await writeFile(file, stringify(object));
  return (await run(kubectl, ["--kubeconfig", landfall.kubeconfig, "apply", "-f", file, ...flags])).stdout;
}

const manifest = (name: string, spec: Record<string, unknown>): WorkloadObject =>
  vm(spec, { name, namespace: "default" });

async function stored(name: string): Promise<WorkloadObject> {
  const args = ["--kubeconfig", landfall.kubeconfig, "get", "vmtemplate", name, "-n", "default", "-o", "json"];
  return JSON.parse((await run(kubectl, args)).stdout) as WorkloadObject;
}

/** What no two moments have in common: a start without a wish is the moment itself. */
function timeless({ start: _start, end: _end, baselineGramsCO2: _baseline, ...rest }: Placement): object {
  return rest;
}

describe("kubectl apply", () => {
  const policy = loadPolicy();

  it.each([
    ["plain", { cpu: 2, memory: 4 }],
    ["eu", { cpu: 4, memory: 16, dataResidency: ["EU"], maxLatency: 40 }],
    ["pinned", { cpu: 2, memory: 8, provider: "gcp", schedulingLocation: "europe-west1", os: "debian-12" }],
    ["later", { cpu: 1, memory: 1, provider: "aws", duration: "3h", schedulingTime: "2035-01-01T00:00:00Z" }],
    ["cheap", { cpu: 8, memory: 32, arch: "arm64", optimizeFor: "cost" }],
    ["small", { cpu: 2, memory: 2, provider: "elemento" }],
  ])("--dry-run=server and explain agree on %s", async (name, spec) => {
    const object = manifest(name, spec);
    const printed = JSON.parse(await apply(object, "--dry-run=server", "-o", "json")) as WorkloadObject;
    const written = JSON.parse(printed.metadata.annotations?.[ANNOTATION.decision] ?? "{}") as { placement: Placement };
    const now = Math.floor(Date.now() / 1000);
    const explained = decide({ ...context(await policy, now), kind: "VmTemplate", object, operation: "CREATE" });
    expect(explained.placement).not.toBeNull();
    expect(timeless(written.placement)).toEqual(timeless(explained.placement ?? written.placement));
  });

  it("gives an object back what it lacks, ten times in a row, by client-side and server-side apply", async () => {
    const object = manifest("steady", { cpu: 2, memory: 4, dataResidency: ["EU"], tags: { team: "a" } });
    await apply(object);
    const first = await stored("steady");
    expect(first.spec).toMatchObject({ os: "ubuntu-24.04" });
    for (let round = 0; round < 10; round++) {
      await apply(object, ...(round % 2 === 0 ? [] : ["--server-side", "--force-conflicts"]));
    }
    const last = await stored("steady");
    expect(last.spec).toEqual(first.spec);
    expect(last.metadata.generation).toBe(first.metadata.generation);
    for (const name of [ANNOTATION.decision, ANNOTATION.seal]) {
      expect(last.metadata.annotations?.[name]).toBe(first.metadata.annotations?.[name]);
    }
  });

  it("prints a denial that is enough to act on", async () => {
    const refused = apply(manifest("big", { cpu: 64, memory: 40_000, maxLatency: 25, dataResidency: ["EU"] }));
    const message = await refused.then(() => "", messageOf);
    expect(message).toContain(
      'admission webhook "placement.landfall.dev" denied the request: no region can run this VM',
    );
    expect(message).toMatch(/passes with: memory ≤ \d+/);
    expect(message).toContain("PLACEMENT_NONE");
  });

  it("cannot forge a decision or move what was decided", async () => {
    const forged = manifest("forged", { cpu: 2, memory: 4 });
    forged.metadata.annotations = { [ANNOTATION.decision]: '{"placement":{}}', [ANNOTATION.seal]: "x".repeat(22) };
    await apply(forged);
    expect((await stored("forged")).metadata.annotations?.[ANNOTATION.decision]).toContain('"eligible"');
    const moved = apply(manifest("forged", { cpu: 2, memory: 4, provider: "azure", schedulingLocation: "eastus" }));
    expect(await moved.then(() => "", messageOf)).toContain("ADM_MOVE");
  });
});

describe("landfall impact", () => {
  it("asks about everything that lives in the cluster, as its users wrote it", async () => {
    await apply(manifest("lives", { cpu: 1, memory: 2 }));
    const bin = fileURLToPath(new URL("../../bin/landfall.js", import.meta.url));
    const args = [bin, "impact", "--bundle", await policyFile(), "--kubeconfig", landfall.kubeconfig, "-o", "json"];
    const { summary } = JSON.parse((await run(process.execPath, args)).stdout) as Report;
    expect(summary.objects).toBeGreaterThan(0);
    expect(summary.changes.none).toBe(summary.objects);
    expect(summary.price.objects).toBeGreaterThan(0);
  });
});
