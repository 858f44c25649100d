import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readRequest } from "../../../src/admission/check/read-request.ts";
import { decideAlone } from "../../../src/admission/decide/decide.ts";
import { policyInput } from "../../../src/admission/decide/policy-input.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import { applyDecision } from "../../../src/cli/objects/plan-objects.ts";
import { defaultFlags } from "../../../src/kops/defaults.ts";
import { exportCluster } from "../../../src/kops/export-cluster.ts";
import { importCluster } from "../../../src/kops/import-cluster.ts";
import { readManifests } from "../../../src/kops/read-manifests.ts";
import { inOrder } from "../../../src/kops/to-kops.ts";
import type { KaasSpec, KopsFlags } from "../../../src/kops/types.ts";
import { randomCluster } from "../../oracle/random-cluster.ts";
import { context, NOW, vm } from "../../support/admission.ts";
import { comesBack, kopsCatalog } from "../../support/kops.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import { SCALE } from "../../support/scale.ts";

const policy = await loadPolicy();
const SEED = 91;

/** The object as admission would store it; null where it is denied or lies elsewhere. */
function decided(object: WorkloadObject): (WorkloadObject & { spec: Record<string, unknown> }) | null {
  const request = { ...context(policy), kind: "KaasCluster" as const, object, operation: "CREATE" as const };
  // To search what would pass takes much longer than to deny.
  const read = { ...request, request: readRequest("KaasCluster", object), facts: null };
  if (policy.evaluate(policyInput(read)).denials.length > 0) return null;
  const decision = decideAlone(request);
  if (!decision.allowed) return null;
  const { spec = {}, ...rest } = applyDecision(object, decision, NOW);
  return ["aws", "elemento"].includes(String(spec["provider"])) ? { ...rest, spec } : null;
}

/** Exports, writes and reads the text of the manifests, imports. */
function thereAndBack(object: WorkloadObject & { spec: Record<string, unknown> }, flags: KopsFlags) {
  const { manifests } = exportCluster(object, flags, kopsCatalog);
  const values = JSON.parse(JSON.stringify(inOrder(manifests))) as unknown[];
  return importCluster(readManifests("out.yaml", values), kopsCatalog);
}

// Elemento has one version and no labels: with the others' nearly every cluster would be denied.
const asked = fc.sample(randomCluster(NOW), { numRuns: 1000 * SCALE, seed: SEED }).map(({ spec }, index) => {
  if (index % 3 === 0) return { ...spec, provider: "aws" };
  const { kubernetesVersion: _version, zones: _zones, ...rest } = spec;
  return { ...rest, provider: "elemento" };
});
const clusters = asked
  .map((spec) => decided({ ...vm({ ...spec }), kind: "KaasCluster" }))
  .filter((object) => object !== null);

describe(`random KaasClusters, seed ${String(SEED)}, that the policies let through`, () => {
  it("are more than 100, from both providers", () => {
    expect(clusters.length).toBeGreaterThan(100);
    for (const provider of ["aws", "elemento"])
      expect(clusters.filter(({ spec }) => spec["provider"] === provider).length).toBeGreaterThan(30);
  });

  it("are equal on all mapped fields after a round trip, without losses in the manifests", () => {
    for (const object of clusters) {
      const { cluster, notes } = thereAndBack(object, defaultFlags());
      expect(cluster.name).toBe("web");
      expect(cluster.spec).toEqual(comesBack(object.spec as unknown as KaasSpec));
      expect(notes, JSON.stringify(object.spec)).toEqual([]);
    }
  });

  it("list every field that is lost", () => {
    for (const object of clusters) {
      const { notes, manifests } = exportCluster(object, defaultFlags(), kopsCatalog);
      const back = importCluster(manifests, kopsCatalog).cluster.spec as unknown as Record<string, unknown>;
      const named = notes.map(({ path }) => path);
      for (const [field, value] of Object.entries(object.spec)) {
        const isSame = JSON.stringify(back[field]) === JSON.stringify(value);
        const isListed = named.some((path) => path.startsWith(`spec.${field}`));
        const isOnlyFilledIn = field === "nodePools" || field === "network";
        expect(
          isSame || isListed || isOnlyFilledIn || value === false,
          `${field} of ${JSON.stringify(object.spec)}`,
        ).toBe(true);
      }
    }
  });
});

describe("the examples", () => {
  const files = ["21-cluster-aws.yaml", "23-cluster-elemento.yaml"];
  it.each(files)("%s comes back, also with flags of one's own, and stays the same the second time", (file) => {
    const path = fileURLToPath(new URL(`../../../examples/${file}`, import.meta.url));
    const object = decided(parse(readFileSync(path, "utf8")) as WorkloadObject);
    if (object === null) throw new Error("denied");
    const flags = { ...defaultFlags("k8s.example.com"), dns: "none" as const, sshPublicKey: "ssh-ed25519 AAAA" };
    const first = thereAndBack(object, flags);
    expect(first.cluster).toEqual({ name: object.metadata.name, spec: comesBack(object.spec as unknown as KaasSpec) });
    // What an object holds no field for is named.
    const codes = first.notes.map(({ path, code }) => `${code} ${path.split(" ")[0] ?? ""}`);
    const name = `${object.metadata.name ?? ""}.k8s.example.com`;
    expect(codes).toEqual(
      expect.arrayContaining([`KOPS_NOT_MAPPED Cluster/${name}`, "KOPS_NOT_MAPPED SSHCredential/admin"]),
    );
    const again = { ...object, spec: { ...first.cluster.spec } as Record<string, unknown> };
    expect(thereAndBack(again, flags).cluster).toEqual(first.cluster);
  });
});

const taint = fc.record({
  key: fc.constantFrom("dedicated", "nvidia.com/gpu"),
  effect: fc.constantFrom("NoSchedule", "PreferNoSchedule", "NoExecute"),
});
const extras = fc.record({
  tags: fc.constantFrom({}, { team: "a" }, { team: "a", "cost-centre": "b c" }),
  endpoint: fc.constantFrom("public" as const, "private" as const),
  highAvailability: fc.boolean(),
  zones: fc.constantFrom(["eu-west-1a", "eu-west-1b", "eu-west-1c"], ["eu-west-1a", "eu-west-1b"], ["eu-west-1b"]),
  network: fc.constantFrom(
    {},
    { nodeCidr: "192.168.0.0/20" },
    { nodeCidr: "100.96.0.0/16", serviceCidr: "10.3.0.0/20" },
  ),
  nodePools: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("a", "web", "batch2", "abcdefghijkl"),
      count: fc.integer({ min: 0, max: 5 }),
      cpu: fc.constant(2),
      memory: fc.constant(2),
      diskGiB: fc.constantFrom(32, 64, 2048),
      labels: fc.constantFrom({}, { tier: "a" }, { "example.com/x": "" }),
      taints: fc.array(
        fc.oneof(
          taint,
          fc.tuple(taint, fc.constantFrom("", "true")).map(([one, value]) => ({ ...one, value })),
        ),
        { maxLength: 2 },
      ),
    }),
    { minLength: 1, maxLength: 4, selector: ({ name }) => name },
  ),
});

describe("objects that the policies would deny, or that are rare", () => {
  it("survive the round trip too: labels, taints, tags, private endpoints, three members, networks", () => {
    const elemento = { provider: "elemento", schedulingLocation: "ovh-fr-paris", type: "neon" };
    const aws = { provider: "aws", schedulingLocation: "eu-west-1", type: "t3.medium" };
    for (const [index, { zones, ...given }] of fc.sample(extras, { numRuns: 200 * SCALE, seed: SEED }).entries()) {
      const { type, ...place } = index % 2 === 0 ? aws : elemento;
      const spec = {
        ...given,
        ...place,
        ...(index % 2 === 0 ? { zones } : {}),
        kubernetesVersion: "1.34",
        poolInstanceTypes: Object.fromEntries(given.nodePools.map(({ name }) => [name, type])),
      };
      const zone = index % 4 === 1 ? "europe" : null;
      const { cluster, notes } = thereAndBack({ ...vm(spec), kind: "KaasCluster", spec }, { ...defaultFlags(), zone });
      expect(cluster.spec, JSON.stringify(spec)).toEqual(comesBack(spec as unknown as KaasSpec));
      // EKS takes two zones at least.
      const few = index % 2 === 0 && zones.length === 1 ? ["Cluster/web.k8s.local spec.subnets"] : [];
      const lost = zone === null ? [] : ["Cluster/web.k8s.local spec.subnets[0].zone"];
      // EKS refuses labels without a value.
      const empty = notes.flatMap(({ path }) => (path.endsWith("spec.nodeLabels[example.com/x]") ? [path] : []));
      const isEmpty = given.nodePools.some(({ labels }) => "example.com/x" in labels);
      expect(empty.length > 0).toBe(spec.provider === "aws" && isEmpty);
      expect(notes.map(({ path }) => path)).toEqual([...few, ...lost, ...empty]);
    }
  });
});
