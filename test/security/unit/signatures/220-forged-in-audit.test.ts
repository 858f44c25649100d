import { describe, expect, it } from "vitest";
import { auditObject } from "../../../../src/audit/audit-object.ts";
import { type EmergencyObject, listEmergencies } from "../../../../src/audit/list-emergencies.ts";
import { asDecided, type Proof } from "../../../../src/audit/was-decided.ts";
import { createDecisionIndex } from "../../../../src/external-data/decision-index.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime } from "../../../../src/model/time.ts";
import type { Workload, WorkloadObject } from "../../../../src/model/workload.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { copyOf, keys, openStore } from "../../../support/admission-store.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const LASTS = { namespaces: ["demo"], from: formatTime(NOW - 60), until: formatTime(NOW + 60), by: "ada", reason: "x" };
const proof: Proof = { ring: keys, owners: createDecisionIndex(), emergencies: [LASTS] };

const store = openStore(policy);
const admitted = store.create(vm({ cpu: 2, memory: 4 })).object;
const asWorkload = (object: WorkloadObject): Workload => ({ ...object, kind: "VmTemplate" });
/** Created in the emergency with these annotations. */
const createdWith = (annotations: Record<string, string>): Workload => {
  const uid = "22222222-2222-4222-8222-222222222222";
  const metadata = { ...copyOf(admitted).metadata, annotations, uid, creationTimestamp: formatTime(NOW) };
  return asWorkload({ ...admitted, metadata });
};
const { [ANNOTATION.decision]: decision = "", [ANNOTATION.seal]: seal = "" } = admitted.metadata.annotations ?? {};

const decided = (object: Workload, by: Proof = proof): EmergencyObject["decided"] | undefined =>
  listEmergencies([object], by)[0]?.decided;
const verdict = (object: Workload, by: Proof = proof): string | undefined => {
  const { clusterData } = store;
  return auditObject(asDecided(object, by), { policy, clusterData, forecasts: null, nowSeconds: NOW + 60 })?.verdict;
};

describe("220: the audit of an object of an emergency", () => {
  it.each<[string, Record<string, string>]>([
    ["no decision", {}],
    ["a decision without a signature", { [ANNOTATION.decision]: decision }],
    ["another decision than was signed", { [ANNOTATION.decision]: `${decision} `, [ANNOTATION.seal]: seal }],
    ["the decision of an object that it replaces", { [ANNOTATION.decision]: decision, [ANNOTATION.seal]: seal }],
  ])("finds it undecided with %s", (_name, annotations) => {
    expect(decided(createdWith(annotations))).toBe(false);
    expect(verdict(createdWith(annotations))).toBe("undecided");
  });

  it("finds it decided once admission decided it", () => {
    const before = createdWith({});
    const asked = { ...before, metadata: { ...before.metadata, annotations: { [ANNOTATION.reevaluate]: "now" } } };
    const after = asWorkload(store.update(before, asked).object);
    expect(decided(after)).toBe(true);
    expect(verdict(after)).toBe("stay");
  });

  it("says that it does not know without the keys", () => {
    const unknown = { ...proof, ring: null };
    expect(decided(createdWith({ [ANNOTATION.decision]: decision, [ANNOTATION.seal]: seal }), unknown)).toBeNull();
    expect(decided(createdWith({}), unknown)).toBe(false);
  });

  it("believes a decision that no controller has bound yet outside of an emergency", () => {
    const calm = { ...proof, emergencies: [] };
    expect(listEmergencies([asWorkload(admitted)], calm)).toEqual([]);
    expect(verdict(asWorkload(admitted), calm)).toBe("stay");
  });
});
