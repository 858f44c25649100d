import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import type { BundleStatus } from "../../webhook/bundle-watch/bundle-status.ts";
import { apiPath, below } from "../../src/cluster/api-path.ts";
import type { Resource } from "../../src/composition/types.ts";
import { collectionOf } from "../../src/local/control-plane/apply-object.ts";
import { readManifests } from "../../src/local/control-plane/read-manifests.ts";
import type { KubernetesObject } from "../../src/model/kubernetes.ts";
import { moveTag, publishSigned } from "../support/bundles/publish-signed.ts";
import { sendRequest } from "../support/send-request.ts";
import { changedBundle } from "../support/bundles/watched-bundle.ts";
import { conditionOf } from "./composition/cluster-under-test.ts";
import type { CompactDecision } from "../../src/model/decision-annotation/compact-decision.ts";
import { decideAlone } from "../../src/admission/decide/decide.ts";
import type { WorkloadObject } from "../../src/model/workload.ts";
import type { Report } from "../../src/cli/commands/impact/format-impact.ts";
import { messageOf } from "../../src/errors.ts";
import { startLandfall, type Landfall } from "../../src/local/landfall/start-landfall.ts";
import type { Decision, Placement } from "../../src/model/decision.ts";
import { ANNOTATION } from "../../src/model/names.ts";
import { context, vm } from "../support/admission.ts";
import { loadPolicy, policyFile } from "../support/load-policy.ts";
import { nowSeconds } from "../../src/model/time.ts";

const run = promisify(execFile);
const bin = fileURLToPath(new URL("../../bin/landfall.js", import.meta.url));
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

const OBJECTS = apiPath`/apis/composition.krateo.io/v0-1-0/namespaces/default/vmtemplates`;

/** The object as the API server would store it, in JSON; what it says instead if it refuses it. */
async function dryRun(object: KubernetesObject): Promise<string> {
  const path = await collectionOf(landfall.client, object);
  return landfall.client.create(path, object, { dryRun: "All" }).then((stored) => JSON.stringify(stored), messageOf);
}

const manifest = (name: string, spec: Record<string, unknown>): WorkloadObject =>
  vm(spec, { name, namespace: "default" });

async function stored(name: string): Promise<WorkloadObject> {
  const args = ["--kubeconfig", landfall.kubeconfig, "get", "vmtemplate", name, "-n", "default", "-o", "json"];
  return JSON.parse((await run(kubectl, args)).stdout) as WorkloadObject;
}

/** Without what no two moments have in common: a start without a wish is the moment itself, and the end follows from it. */
function timeless(placement: Placement): object {
  const { start: _start, end: _end, baselineGramsCO2: _baseline, now: _now, segments = [], ...others } = placement;
  const { gramsCO2, ...rest } = others;
  const pauses = segments.slice(1).map(({ start: to }, at) => ({ from: segments[at]?.end, to }));
  return { ...rest, pauses, hasGrams: gramsCO2 !== null };
}

/** Expects what two moments have in common to be the same. The seconds between them move a little of a run into its next hour. */
function expectSame(written: Placement, explained: Placement | null): void {
  if (explained === null) expect.fail("it is denied");
  expect(timeless(written)).toEqual(timeless(explained));
  const [grams, others] = [written.gramsCO2 ?? 0, explained.gramsCO2 ?? 0];
  expect(Math.abs(grams - others)).toBeLessThanOrEqual(0.01 * others + 0.0002);
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
    const now = nowSeconds();
    const explained = decideAlone({
      ...context(await policy, now),
      kind: "VmTemplate",
      object,
      operation: "CREATE",
    });
    expect(explained.placement).not.toBeNull();
    expectSame(written.placement, explained.placement);
  });

  it("restores missing values ten times in a row, by client-side and server-side apply", async () => {
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

  it("prints an actionable denial", async () => {
    const refused = apply(manifest("big", { cpu: 64, memory: 40_000, maxLatency: 25, dataResidency: ["EU"] }));
    const message = await refused.then(() => "", messageOf);
    expect(message).toContain(
      'admission webhook "placement.landfall.dev" denied the request: no region can run this VM: spec.memory 40000 leaves none',
    );
    expect(message).toMatch(/passes with: memory 39 if MiB were meant \(.+\), or memory ≤ \d+/);
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

interface Difference {
  denied: string | null;
  resources: { kind: string; change: string; before: unknown; after: unknown }[];
}

async function diff(object: WorkloadObject): Promise<{ code: number; text: string; json: Difference }> {
  const file = join(base, "diff.yaml");
  await writeFile(file, stringify(object));
  const ask = async (...flags: string[]): Promise<{ code: number; out: string }> => {
    const args = [bin, "diff", "-f", file, "--kubeconfig", landfall.kubeconfig, ...flags];
    return run(process.execPath, args).then(
      ({ stdout }) => ({ code: 0, out: stdout }),
      (thrown: unknown) => {
        const { code, stdout, stderr } = thrown as { code: number; stdout: string; stderr: string };
        if (stdout === "") throw new Error(stderr);
        return { code, out: stdout };
      },
    );
  };
  const { code, out } = await ask();
  return { code, text: out, json: JSON.parse((await ask("-o", "json")).out) as Difference };
}

const isInstalled = async (name: string): Promise<void> => {
  const object = await landfall.client.get<Resource>(below(OBJECTS, name));
  expect(conditionOf(object, "Synced")).toMatchObject({ status: "True" });
};

describe("landfall diff", () => {
  const spec = { cpu: 2, memory: 4, provider: "azure", schedulingLocation: "swedencentral" };

  it("shows all of a new object, and nothing of an installed one", async () => {
    const object = manifest("compared", spec);
    const fresh = await diff(object);
    expect(fresh.code).toBe(1);
    expect(fresh.json.resources.map(({ change }) => change)).toEqual(fresh.json.resources.map(() => "create"));
    expect(fresh.text).toContain("  + VirtualMachine compared");
    expect(await stored("compared").then(() => "stored", messageOf)).toContain("NotFound");
    await apply(object);
    await vi.waitFor(() => isInstalled("compared"), { timeout: 60_000, interval: 200 });
    const installed = await diff(object);
    expect(installed.code).toBe(0);
    expect(installed.text).toBe("VmTemplate default/compared\n  as installed\n");
  });

  it("shows what a change would change, add and remove", async () => {
    const changed = await diff(manifest("compared", { ...spec, cpu: 4, network: { publicIP: true } }));
    expect(changed.code).toBe(1);
    const byChange = (change: string): string[] =>
      changed.json.resources.filter((one) => one.change === change).map(({ kind }) => kind);
    expect(byChange("change")).toContain("VirtualMachine");
    expect(byChange("create")).toEqual(["PublicIPAddress"]);
    expect(changed.text).toMatch(/ {4}- cpu: 2\n {4}\+ cpu: 4\n/);
    expect((await stored("compared")).spec).toMatchObject({ cpu: 2 });
  });

  it("has nothing to install for a run that is over", async () => {
    const object = manifest("done", { ...spec, duration: "1h", whenDone: "delete" });
    await apply(object);
    const running = async (): Promise<void> => {
      expect(conditionOf(await landfall.client.get<Resource>(below(OBJECTS, "done")), "Running")?.status).toBe("True");
    };
    await vi.waitFor(running, { timeout: 60_000, interval: 200 });
    await run(kubectl, [
      ...["--kubeconfig", landfall.kubeconfig, "annotate", "vmtemplate", "done"],
      `${ANNOTATION.completed}=succeeded`,
    ]);
    const over = async (): Promise<void> => {
      const live = await landfall.client.get<Resource>(below(OBJECTS, "done"));
      expect(conditionOf(live, "Completed")?.status).toBe("True");
    };
    await vi.waitFor(over, { timeout: 60_000, interval: 200 });
    const same = await diff(object);
    expect(same.text).toMatch(
      /^VmTemplate default\/done\n {2}its run is over since \S+: nothing is installed for it\n$/,
    );
    expect(same.code).toBe(0);
    expect(same.json.resources).toEqual([]);
    await run(kubectl, ["--kubeconfig", landfall.kubeconfig, "delete", "vmtemplate", "done", "--timeout=60s"]);
  });

  it("reports what the cluster would deny, with exit 3", async () => {
    const refused = await diff(manifest("compared", { ...spec, schedulingLocation: "eastus" }));
    expect(refused.code).toBe(3);
    expect(refused.json).toMatchObject({ resources: [] });
    expect(refused.text).toContain("ADM_MOVE");
  });
});

describe("every example", () => {
  const files = readdirSync("examples").filter((file) => file.endsWith(".yaml") && !file.startsWith("00-"));
  let decisions: Decision[];

  // One call of explain for all; the namespaces' settings are facts of the decisions.
  beforeAll(async () => {
    await run(kubectl, ["--kubeconfig", landfall.kubeconfig, "apply", "-f", "examples/00-namespaces.yaml"]);
    const together = join(base, "explained.yaml");
    const texts = await Promise.all(
      ["00-namespaces.yaml", ...files].map((name) => readFile(join("examples", name), "utf8")),
    );
    await writeFile(together, texts.join("\n---\n"));
    const { stdout } = await run(process.execPath, [bin, "explain", "-f", together, "-o", "json"]).catch(
      (thrown: unknown) => thrown as { stdout: string },
    );
    decisions = JSON.parse(stdout) as Decision[];
    expect(decisions).toHaveLength(files.length);
  });

  it.each(files.map((file, index) => [file, index] as const))(
    "gets the same from explain and from --dry-run=server: %s",
    async (file, index) => {
      const explained = decisions[index];
      const [manifest] = await readManifests(join("examples", file));
      if (explained === undefined || manifest === undefined) return expect.fail("neither decision nor object");
      const answer = await dryRun(manifest.object);
      if (!explained.allowed) {
        expect(explained.denials.length).toBeGreaterThan(0);
        for (const { code, message } of explained.denials) {
          expect(answer).toContain(code);
          expect(answer).toContain(message);
        }
        expect(answer).toContain("denied the request");
        expect(answer.slice(answer.indexOf("denied the request")).length).toBeLessThan(640);
        return;
      }
      const object = JSON.parse(answer) as WorkloadObject;
      const written = JSON.parse(object.metadata.annotations?.[ANNOTATION.decision] ?? "{}") as CompactDecision;
      const { candidates, placement, inputs, degraded } = explained;
      expect(written).toMatchObject({
        ...{ inputs, written: explained.written, considered: candidates.considered, eligible: candidates.eligible },
        why: candidates.funnel.map(({ text }) => text),
        degraded: degraded.map(({ code }) => code),
      });
      expectSame(written.placement, placement);
    },
  );
});

describe("landfall impact", () => {
  it("covers all objects of the cluster, as their users wrote them", async () => {
    await apply(manifest("lives", { cpu: 1, memory: 2 }));
    const bundles = ["--bundle", await policyFile(), "--against", await policyFile()];
    const args = [bin, "impact", ...bundles, "--kubeconfig", landfall.kubeconfig, "-o", "json"];
    const { summary } = JSON.parse((await run(process.execPath, args)).stdout) as Report;
    expect(summary.objects).toBeGreaterThan(0);
    expect(summary.changes.none).toBe(summary.objects);
    expect(summary.price.objects).toBeGreaterThan(0);
  });
});

describe("objects that are created at the same moment on a cluster with budgets", () => {
  const BUDGETS = { timeout: 60_000, interval: 250 };

  // The budgets come with a bundle that the running webhook follows; nothing that was installed before counts.
  beforeAll(async () => {
    const { items } = (await landfall.client.get<{ items: Resource[] }>(OBJECTS)) ?? { items: [] };
    await Promise.all(items.map(({ metadata }) => landfall.client.remove(below(OBJECTS, metadata.name ?? ""))));
    const bytes = await changedBundle((data) => {
      const schedule = data.landfall["settings"]?.["schedule"] as { budgets: object };
      // Long enough for a busy machine to bring all requests to the webhook.
      Object.assign(schedule, { budgets: { ...schedule.budgets, vcpus: 2 }, gatherMilliseconds: 1000 });
    });
    const ref = await publishSigned(landfall, bytes, "budgets");
    await moveTag(landfall, ref, "local");
    const { certificate: cert, key } = landfall.pki.webhookClient;
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false, cert, key } });
    await vi.waitFor(async () => {
      const { body } = await request(`${landfall.webhookUrl ?? ""}/status`, { dispatcher });
      const { bundle } = (await body.json()) as { bundle: BundleStatus };
      expect(bundle.active?.digest).toBe(ref.replace(/^.*@/, ""));
      expect((await landfall.client.get<{ items: Resource[] }>(OBJECTS))?.items).toEqual([]);
    }, BUDGETS);
    await dispatcher.close();
  });

  /** Where the API server lets it go, or the code of the denial. */
  async function create(name: string, dataResidency: string[]): Promise<string> {
    const body = manifest(name, { cpu: 2, memory: 4, provider: "gcp", dataResidency });
    const { status, body: answer } = await sendRequest(landfall.client, OBJECTS, { method: "POST", body });
    const { message = "", spec } = answer as { message?: string; spec?: { schedulingLocation: string } };
    if (status === 201) return spec?.schedulingLocation ?? "";
    return /PLACEMENT_\w+/.exec(message)?.[0] ?? String(status);
  }

  it("all get a place, because none takes another's only place", async () => {
    // One place in France, two in Germany: placed one after the other, who is free to choose takes France first.
    const [either, other, france] = await Promise.all([
      create("either", ["FR", "DE"]),
      create("other", ["FR", "DE"]),
      create("france", ["FR"]),
    ]);
    expect(france).toBe("europe-west9");
    expect([either, other].sort()).toEqual(["europe-west10", "europe-west3"]);
    expect(await create("late", ["FR", "DE"])).toBe("PLACEMENT_BUDGET");
  });
});
