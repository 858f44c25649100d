import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { AdmissionContext, AdmissionRequest, Outcome } from "../../../../../src/admission/types.ts";
import { createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import { sizeLabels } from "../../../../../src/composition/record/running-sizes.ts";
import { trusted } from "../../../../../src/model/decision-annotation/trusted.ts";
import { RELEASE_LABEL } from "../../../../../src/composition/keys.ts";
import { readDecision } from "../../../../../src/model/decision-annotation/compact-decision.ts";
import { signDecision } from "../../../../../src/model/decision-annotation/signature.ts";
import { ANNOTATION, type Kind } from "../../../../../src/model/names.ts";
import { readWorkload } from "../../../../../src/model/read-workload.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { askingSize, context, INSTALLED, KEYS, NOW, patched, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { withBudgets } from "../../../../support/with-budgets.ts";

const policy = await loadPolicy();

type Spec = Record<string, unknown>;

/** A cluster of objects, in which every admitted one counts; with quotas and the budget of each place in vCPU. */
function world(annotations: Record<string, string>, budget: number | null = null) {
  const objects = new Map<string, WorkloadObject>();
  const data = createClusterData();
  data.apply({ type: "seen", at: NOW });
  const admitted = (kind: Kind, object: WorkloadObject, oldObject: WorkloadObject | null): Outcome => {
    const { name = "" } = object.metadata;
    const at: AdmissionContext = {
      ...context(budget === null ? policy : withBudgets(policy, { vcpus: budget }), NOW, INSTALLED),
      namespace: { name: "demo", labels: {}, annotations },
      relatedWorkloads: data.around({ key: `${kind}/demo/${name}`, namespace: "demo", vmName: null }, NOW),
      placed: () => data.workloads(NOW, `${kind}/demo/${name}`),
    };
    const operation = oldObject === null ? "CREATE" : "UPDATE";
    const request: AdmissionRequest = { uid: name, operation, kind, object, oldObject };
    const outcome = admit(request, at);
    if (outcome.allowed) put(kind, patched(object, outcome));
    return outcome;
  };
  const put = (kind: Kind, object: WorkloadObject): void => {
    const { name = "" } = object.metadata;
    objects.set(name, object);
    data.apply({ type: "workload", key: `${kind}/demo/${name}`, workload: readWorkload(kind, object) });
  };
  const create = (name: string, spec: Spec, kind: Kind = "VmTemplate"): Outcome =>
    admitted(kind, { ...vm(spec, { name, uid: name }), kind }, null);
  /** An update of one that runs. */
  const update = (
    name: string,
    change: (object: WorkloadObject) => WorkloadObject,
    kind: Kind = "VmTemplate",
  ): Outcome => {
    const stored = { ...(objects.get(name) as WorkloadObject), status: { managed: [{}] } };
    return admitted(kind, change(stored), stored);
  };
  return { create, update, put, get: (name: string) => objects.get(name) as WorkloadObject };
}

const codes = (outcome: Outcome): readonly string[] => (outcome.allowed ? [] : outcome.codes);
const message = (outcome: Outcome): string => (outcome.allowed ? "" : outcome.message);
const withSpec =
  (spec: Spec) =>
  (object: WorkloadObject): WorkloadObject => ({ ...object, spec: { ...object.spec, ...spec } });

const AZURE = { provider: "azure", schedulingLocation: "italynorth" };
const GCP = { provider: "gcp", schedulingLocation: "europe-west1" };
/** Types with this much memory have 128 vCPU at Azure, and 96 at Google Cloud. */
const HEAVY = { cpu: 1, memory: 1024 };
const POOLS = { nodePools: [{ name: "a", cpu: 1, memory: 512, count: 3 }] };

describe("131: a machine or pool whose type is larger than it asks for", () => {
  it.each([
    [AZURE, 128],
    [GCP, 96],
  ])("counts with its type in its object and in the record of its release: %j", (place, vcpus) => {
    const one = world({});
    expect(one.create("a", { ...HEAVY, ...place })).toMatchObject({ allowed: true });
    const object = one.get("a");
    expect(readWorkload("VmTemplate", object)).toMatchObject({ vcpus });
    expect(sizeLabels(trusted(null, { ...object, status: {} }))[RELEASE_LABEL.size]).toMatch(
      new RegExp(`^${String(vcpus)}000000-`),
    );
  });

  it("is denied by a quota of vCPU, which says which size it compared", () => {
    const outcome = world({ "landfall.dev/quota-vcpus": "64" }).create("a", { ...HEAVY, ...AZURE });
    expect(codes(outcome)).toEqual(["POL_QUOTA"]);
    expect(message(outcome)).toContain(
      "namespace demo uses 0 of 64 vCPU: 128 more, which the smallest type for 1 vCPU and 1024 GiB has, do not fit",
    );
  });

  it("is denied in a cluster, by vCPU of all its nodes", () => {
    const outcome = world({ "landfall.dev/quota-vcpus": "191" }).create("k", { ...POOLS, ...AZURE }, "KaasCluster");
    expect(codes(outcome)).toEqual(["POL_QUOTA"]);
    expect(message(outcome)).toContain("the node pools at their largest need 192 more");
    const large = world({ "landfall.dev/quota-vcpus": "192" });
    expect(large.create("k", { ...POOLS, ...AZURE }, "KaasCluster")).toMatchObject({ allowed: true });
    expect(codes(large.create("a", { cpu: 1, memory: 1, ...AZURE }))).toEqual(["POL_QUOTA"]);
  });

  it("fills the budget of its place with what runs there", () => {
    const one = world({}, 130);
    const made = [0, 1, 2].map((at) => codes(one.create(`m${String(at)}`, { ...HEAVY, ...AZURE })));
    expect(made).toEqual([[], ["PLACEMENT_BUDGET"], ["PLACEMENT_BUDGET"]]);
  });

  it("is not placed where its type exceeds the quota, if another place has a smaller one", () => {
    const places = "azure/italynorth, gcp/europe-west1";
    const outcome = world({ "landfall.dev/regions": places, "landfall.dev/quota-vcpus": "100" }).create("a", {
      ...{ ...HEAVY, optimizeFor: "cost" },
    });
    expect(outcome).toMatchObject({ allowed: true, decision: { placement: { provider: "gcp", size: { vcpus: 96 } } } });
    expect(outcome.decision?.candidates.funnel).toContainEqual({
      rule: "quota",
      remaining: 1,
      text: "100 of 100 vCPU left: 1 remains",
    });
  });

  it("gets no larger size from its controller than quota and budget leave", () => {
    const quota = world({ "landfall.dev/quota-vcpus": "3" });
    const budget = world({}, 3);
    for (const one of [quota, budget]) {
      expect(one.create("a", { cpu: 2, memory: 4, ...AZURE })).toMatchObject({ allowed: true });
      const type = one.get("a").spec?.["instanceType"];
      const outcome = one.update("a", (object) => askingSize(object, NOW));
      expect(outcome.allowed && outcome.warnings.join()).toMatch(/no other one of its series is allowed.*\[STAYS\]/);
      expect(one.get("a").spec?.["instanceType"]).toBe(type);
    }
    const enough = world({ "landfall.dev/quota-vcpus": "5" });
    enough.create("a", { cpu: 2, memory: 4, ...AZURE });
    enough.update("a", (object) => askingSize(object, NOW));
    expect(readWorkload("VmTemplate", enough.get("a"))).toMatchObject({ vcpus: 4 });
    expect(codes(enough.create("b", { cpu: 2, memory: 4, ...AZURE }))).toEqual(["POL_QUOTA"]);
  });
});

/** As an earlier version decided it: the size of the type stands nowhere. */
function ofEarlier(object: WorkloadObject): WorkloadObject {
  const decision = JSON.parse(object.metadata.annotations?.[ANNOTATION.decision] ?? "{}") as {
    placement: Record<string, unknown>;
  };
  delete decision.placement["size"];
  const compact = JSON.stringify(decision);
  const seal = signDecision(KEYS, object, compact, { use: "uid", id: object.metadata.uid ?? "", at: NOW });
  const annotations = { ...object.metadata.annotations, [ANNOTATION.decision]: compact, [ANNOTATION.seal]: seal };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

describe("131: what an earlier version decided", () => {
  it.each<[Kind, Spec, Spec, number]>([
    ["VmTemplate", HEAVY, { duration: "9h" }, 128],
    ["KaasCluster", POOLS, { duration: "9h" }, 192],
  ])(
    "is denied by no quota and no budget while it does not grow, and counts in full from its next decision: %s",
    (kind, spec, change, vcpus) => {
      const one = world({ "landfall.dev/quota-vcpus": "9", "landfall.dev/quota-memory": "9" }, 9);
      const first = world({});
      first.create("a", { ...spec, ...AZURE }, kind);
      one.put(kind, ofEarlier(first.get("a")));
      expect(readWorkload(kind, one.get("a")).vcpus).toBeLessThan(9);
      const label = (object: WorkloadObject): WorkloadObject => ({
        ...object,
        metadata: { ...object.metadata, labels: { team: "a" } },
      });
      const labelled = one.update("a", label, kind);
      expect(labelled).toMatchObject({ allowed: true, warnings: [] });
      expect(one.update("a", withSpec(change), kind)).toMatchObject({ allowed: true });
      expect(readWorkload(kind, one.get("a"))).toMatchObject({ vcpus });
      expect(readDecision(one.get("a"))?.placement.size).toMatchObject({ vcpus });
      const grown = kind === "VmTemplate" ? { memory: 1900 } : { nodePools: [{ ...POOLS.nodePools[0], count: 4 }] };
      expect(codes(one.update("a", withSpec(grown), kind))).toContain("POL_QUOTA");
    },
  );
});
