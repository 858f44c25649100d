import { describe, expect, it } from "vitest";
import { type ClusterEvent, type ClusterData, createClusterData } from "../../../src/external-data/cluster-data.ts";
import { makeAnswers } from "../../../webhook/decisions/process/make-answers.ts";
import { NOW, reviewOf, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";

const policy = await loadPolicy();

const namespace = (annotations: Record<string, string>): ClusterEvent => ({
  type: "namespace",
  name: "demo",
  data: { name: "demo", labels: {}, annotations },
});

function webhook(annotations: Record<string, string>) {
  const clusterData: ClusterData = createClusterData();
  const clock = { nowSeconds: NOW };
  clusterData.apply({ type: "seen", at: NOW });
  clusterData.apply(namespace(annotations));
  const answer = makeAnswers({
    policy,
    clusterData,
    nowSeconds: () => clock.nowSeconds,
    forecasts: () => null,
    keys: () => ringOf(Buffer.alloc(32, 7)),
  });
  const decide = (object: WorkloadObject, fields: object = {}): { allowed: boolean; message: string } => {
    const { body } = answer("/mutate", reviewOf(object, { uid: object.metadata.name, ...fields }));
    const { response } = JSON.parse(body) as { response: { allowed: boolean; status?: { message: string } } };
    return { allowed: response.allowed, message: response.status?.message ?? "" };
  };
  const apply = (name: string, spec: object = {}, fields: object = {}): ReturnType<typeof decide> =>
    decide(vm({ cpu: 2, memory: 4, ...spec }, { name }), fields);
  return { apply, decide, clusterData, clock };
}

describe("a quota of a namespace", () => {
  it("is not exceeded by concurrent creations", () => {
    const { apply } = webhook({ "landfall.dev/quota-objects": "2" });
    expect(apply("a").allowed).toBe(true);
    expect(apply("b").allowed).toBe(true);
    const { allowed, message } = apply("c");
    expect(allowed).toBe(false);
    expect(message).toMatch(/^namespace demo is full: 2 of 2 objects; delete an object that you no longer need/);
    expect(message).toContain("POL_QUOTA");
  });

  it("counts a second call for the same object once, and a dry run not at all", () => {
    const { apply } = webhook({ "landfall.dev/quota-objects": "2" });
    for (const name of ["d1", "d2", "d3"]) expect(apply(name, {}, { dryRun: true }).allowed).toBe(true);
    expect(apply("a").allowed).toBe(true);
    expect(apply("a").allowed).toBe(true);
    expect(apply("b").allowed).toBe(true);
    expect(apply("c").allowed).toBe(false);
  });

  it("is released if an admitted object never appears, and when an object is deleted", () => {
    const { apply, clusterData, clock } = webhook({ "landfall.dev/quota-vcpus": "4" });
    expect(apply("a", { cpu: 4 }).allowed).toBe(true);
    expect(apply("b").allowed).toBe(false);
    clock.nowSeconds += 31;
    expect(apply("b").allowed).toBe(true);
    const key = "VmTemplate/demo/b";
    const [admitted] = clusterData.workloads(clock.nowSeconds, "");
    for (const workload of [admitted ?? null, null]) clusterData.apply({ type: "workload", key, workload });
    expect(apply("c", { cpu: 4 }).allowed).toBe(true);
  });

  it("reports what would fit", () => {
    const { apply } = webhook({ "landfall.dev/quota-vcpus": "10", "landfall.dev/quota-memory": "64" });
    expect(apply("a", { cpu: 8 }).allowed).toBe(true);
    expect(apply("b", { cpu: 4 }).message).toContain("passes with: cpu ≤ 2");
  });

  it("tells a cluster what its pools need and what it can lower", () => {
    const { decide } = webhook({ "landfall.dev/quota-memory": "16" });
    const pools = ["main", "batch"].map((name) => ({ name, cpu: 2, memory: 8, min: 1, max: 6 }));
    const { message } = decide({ ...vm({ nodePools: pools }), kind: "KaasCluster" });
    expect(message).toContain("namespace demo uses 0 of 16 GiB: the node pools at their largest need 96 more");
    expect(message).toContain(
      "lower count, max, cpu or memory of nodePools until all pools at their largest need at most 16",
    );
    expect(message).not.toContain("spec.memory");
  });

  it("removes places over the monthly budget", () => {
    const { apply } = webhook({ "landfall.dev/quota-price": "100" });
    expect(apply("a", { cpu: 2, memory: 4 }).allowed).toBe(true);
    const { message } = apply("b", { cpu: 32, memory: 128 });
    expect(message).toMatch(/of 100 USD per month left: none remains/);
  });
});

describe("a machine's name", () => {
  it("is unique in a namespace", () => {
    const { apply } = webhook({});
    expect(apply("a", { vmName: "db" }).allowed).toBe(true);
    const { allowed, message } = apply("b", { vmName: "db" });
    expect(allowed).toBe(false);
    expect(message).toContain("the machine name db is already used by demo/a");
    expect(message).toContain("passes with: no vmName");
    expect(apply("a", { vmName: "db" }).allowed).toBe(true);
  });
});
