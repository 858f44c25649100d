import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { AdmissionContext, Outcome } from "../../../../../src/admission/types.ts";
import { auditObject } from "../../../../../src/audit/audit-object.ts";
import { type ClusterData, createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { context, NOW, patched } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const clusterData = createClusterData();
clusterData.apply({ type: "seen", at: NOW });
const relatedWorkloads = clusterData.around({ key: "", namespace: "demo", vmName: null }, NOW);

/** Exceeds a quota of 8 vCPU by far. */
const cluster = (pools: number): WorkloadObject => ({
  apiVersion: "composition.krateo.io/v0-1-0",
  kind: "KaasCluster",
  metadata: { name: "prod", namespace: "demo" },
  spec: {
    nodePools: Array.from({ length: pools }, (_, index) => ({
      ...{ name: `p${String(index)}`, cpu: 4 + (index % 64), memory: 8 + ((index * 7) % 500), count: 1 },
    })),
  },
});

/** Counts decisions; each takes `stepMs` of the process's time. */
function counting(stepMs: number, fields: Partial<AdmissionContext> = {}) {
  const count = { decisions: 0 };
  const evaluate: typeof policy.evaluate = (input) => {
    count.decisions += 1;
    return policy.evaluate(input);
  };
  const at: AdmissionContext = {
    ...context({ ...policy, evaluate }),
    namespace: { name: "demo", labels: {}, annotations: { "landfall.dev/quota-vcpus": "8" } },
    relatedWorkloads,
    usedMs: () => count.decisions * stepMs,
    ...fields,
  };
  return { count, at };
}

const create = (object: WorkloadObject, at: AdmissionContext): Outcome =>
  admit({ uid: "1", operation: "CREATE", kind: "KaasCluster", object, oldObject: null }, at);

function quotaOf(vcpus: string): ClusterData {
  const data = createClusterData();
  data.apply({ type: "seen", at: NOW });
  const annotations = { "landfall.dev/quota-vcpus": vcpus };
  data.apply({ type: "namespace", name: "demo", data: { name: "demo", labels: {}, annotations } });
  return data;
}

/** As it was stored before the namespace had a quota. */
const allowed = (object: WorkloadObject): WorkloadObject => patched(object, create(object, context(policy)));

describe("2: the search for remedies of a denied cluster", () => {
  it("ends after 50 ms of computing, for all kinds of remedies together", () => {
    const { count, at } = counting(10);
    const outcome = create(cluster(10), at);
    expect(outcome).toMatchObject({ allowed: false, codes: ["POL_QUOTA"] });
    expect(count.decisions).toBe(1 + 5);
  });

  it("gives the same denial in time as without a clock", () => {
    const object = cluster(2);
    const limited = create(object, counting(0).at);
    expect(limited).toEqual(create(object, counting(0, { usedMs: undefined }).at));
    expect(limited).toMatchObject({
      allowed: false,
      message: expect.stringContaining("passes with: cpu of pool p1 ≤ 4") as string,
    });
  });

  it("does not go through a hundred pools", () => {
    const { count, at } = counting(0);
    expect(create(cluster(100), at)).toMatchObject({ allowed: false, codes: ["POL_QUOTA"] });
    expect(count.decisions).toBeLessThan(20);
  });
});

describe("2: where nobody reads remedies", () => {
  it("the audit decides a denied cluster once", () => {
    const { count, at } = counting(0);
    const asked = { ...at, clusterData: quotaOf("8"), forecasts: null };
    expect(auditObject(cluster(10), asked)).toMatchObject({ verdict: "deny", codes: ["POL_QUOTA"] });
    expect(count.decisions).toBe(1);
  });

  it("the audit of a cluster that was allowed decides it once as well", () => {
    const stored = allowed(cluster(10));
    const { count, at } = counting(0);
    const asked = { ...at, clusterData: quotaOf("8"), forecasts: null };
    expect(auditObject(stored, asked)).toMatchObject({ verdict: "deny", codes: ["POL_QUOTA"] });
    expect(count.decisions).toBe(1);
  });

  it("a change that adds no denial is checked with two decisions, and has warnings", () => {
    const oldObject = allowed(cluster(10));
    const object = { ...oldObject, metadata: { ...oldObject.metadata, labels: { team: "a" } } };
    const annotations = { "landfall.dev/regions": "elemento/ovh-fr-paris" };
    const { count, at } = counting(0, { namespace: { name: "demo", labels: {}, annotations } });
    const request = { uid: "2", operation: "UPDATE", kind: "KaasCluster", object, oldObject } as const;
    const outcome = admit(request, at);
    expect(outcome).toMatchObject({ allowed: true, warnings: [expect.stringContaining("POL_REGION")] });
    expect(count.decisions).toBe(2);
  });
});
