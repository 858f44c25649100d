import { describe, expect, it } from "vitest";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { openStore } from "../../../../support/admission-store.ts";
import { vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const SMALL = { cpu: 1, memory: 1, provider: "gcp", schedulingLocation: "europe-west1" };

const withVersion = (object: WorkloadObject, resourceVersion?: string): WorkloadObject => {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata: resourceVersion === undefined ? metadata : { ...metadata, resourceVersion } };
};
const sized = (object: WorkloadObject, cpu: number): WorkloadObject => ({ ...object, spec: { ...object.spec, cpu } });

describe("262: an update that the API server refuses after admission", () => {
  const stored = () => {
    const store = openStore(policy);
    const { object } = store.create(vm(SMALL, { name: "web" }));
    const pass = (seconds: number): void => {
      store.clock.nowSeconds += seconds;
      store.clusterData.apply({ type: "seen", at: store.clock.nowSeconds });
    };
    const unstored = () => store.clusterData.unstored.times("demo", store.clock.nowSeconds);
    return { ...store, object: withVersion(object, "7"), pass, unstored };
  };

  it.each([
    ["an earlier one", "6"],
    ["none", undefined],
  ])("is a conflict if it is for another version than the stored one: %s", (_version, version) => {
    const { mutate, object, pass, unstored } = stored();
    const larger = withVersion(sized(object, 30), version);
    const { status } = mutate(larger, { operation: "UPDATE", oldObject: object }).response;
    expect(status).toMatchObject({ code: 409, reason: "Conflict" });
    expect(status?.message).toContain("[ADM_CONFLICT]");
    pass(30);
    expect(unstored()).toEqual([]);
    const current = mutate(withVersion(larger, "7"), { operation: "UPDATE", oldObject: object });
    expect(current.response.allowed).toBe(true);
  });

  it("holds places five times in ten minutes for another reason, whatever else changes on the object", () => {
    const { mutate, see, object, pass } = stored();
    const admitted = Array.from({ length: 20 }, (_, round) => {
      const { response } = mutate(sized(object, 16), { operation: "UPDATE", oldObject: object });
      see({ ...object, metadata: { ...object.metadata, labels: { "krateo.io/touch": String(round) } } });
      pass(11);
      return response.allowed;
    });
    expect(admitted.filter(Boolean)).toHaveLength(5);
  });

  it("is not one that is stored, smaller or larger than before", () => {
    const { update, see, object, pass, unstored } = stored();
    let current = object;
    for (const cpu of [8, 2, 16, 4, 1, 32]) {
      const next = update(current, sized(current, cpu));
      expect(next).toMatchObject({ allowed: true });
      current = next.object;
      see(current);
      pass(11);
    }
    expect(unstored()).toEqual([]);
  });
});
