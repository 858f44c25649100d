import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { zonesOfType } from "../../../../src/model/places/machine-zones.ts";
import { zonesOf } from "../../../../src/model/places/zones.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

type Spec = Record<string, unknown>;

const policy = await loadPolicy();

const made = (spec: Spec): WorkloadObject => patched(vm(spec), admit(create(vm(spec)), context(policy)));
const changed = (old: WorkloadObject, spec: Spec): Outcome =>
  admit(update(old, { ...old, spec: { ...old.spec, ...spec } }), context(policy, NOW + 60));
const typeOf = (object: WorkloadObject): string => readDecision(object)?.placement.instanceType ?? "";

describe("a machine of Google Cloud that is there", () => {
  it("gets only types that its zone has", () => {
    const old = made({ provider: "gcp", schedulingLocation: "us-west2", zone: "us-west2-b", cpu: 2, memory: 8 });
    const outcome = changed(old, { cpu: 56, memory: 112 });
    expect(typeOf(patched(old, outcome))).not.toBe("c2d-highcpu-56");
    expect(zonesOfType("gcp", "us-west2", typeOf(patched(old, outcome))) ?? ["us-west2-b"]).toContain("us-west2-b");
  });

  it("is refused a type that its user names and its zone lacks, with the zones that have it", () => {
    const old = made({ provider: "gcp", schedulingLocation: "us-west2", zone: "us-west2-b", cpu: 2, memory: 8 });
    const outcome = changed(old, { cpu: 56, memory: 112, instanceType: "c2d-highcpu-56" });
    expect(outcome.allowed ? "" : outcome.message).toContain("c2d-highcpu-56 in gcp/us-west2 is only in us-west2-a");
  });
});

/** Sizes of one type of each series that not all zones have, and one between. */
const SIZES = [
  ...[
    { cpu: 4, memory: 8 },
    { cpu: 16, memory: 128 },
    { cpu: 56, memory: 112 },
    { cpu: 112, memory: 896 },
  ],
  ...[
    { cpu: 30, memory: 120 },
    { cpu: 60, memory: 240 },
  ],
];

it.each(["us-west2", "europe-west1", "me-west1", "asia-northeast2", "europe-central2", "southamerica-west1"])(
  "a resize stays among the types of its zone, in each zone of %s",
  (region) => {
    const zones = zonesOf("gcp", region) ?? [];
    expect(zones.length).toBeGreaterThan(1);
    for (const zone of zones) {
      const old = made({ provider: "gcp", schedulingLocation: region, zone, cpu: 2, memory: 8 });
      for (const size of SIZES) {
        const outcome = changed(old, size);
        if (!outcome.allowed) continue;
        const type = typeOf(patched(old, outcome));
        expect([zone, type, zonesOfType("gcp", region, type)?.includes(zone) ?? true]).toEqual([zone, type, true]);
      }
    }
  },
);

describe("a cluster of one zone of Google Cloud that is there", () => {
  const system = { name: "system", cpu: 2, memory: 8 };
  const cluster = (spec: Spec): WorkloadObject => ({ ...vm(spec), kind: "KaasCluster" });
  const asked = (object: WorkloadObject, oldObject: WorkloadObject | null): Outcome =>
    admit(
      { uid: "1", operation: oldObject === null ? "CREATE" : "UPDATE", kind: "KaasCluster", object, oldObject },
      context(policy, oldObject === null ? NOW : NOW + 60),
    );
  const first = cluster({
    provider: "gcp",
    schedulingLocation: "us-west2",
    zones: ["us-west2-b"],
    nodePools: [system],
  });
  const old = patched(first, asked(first, null));
  const changed = (spec: Spec): Outcome => asked({ ...old, spec: { ...old.spec, ...spec } }, old);

  it("gets a new pool only with a type of its zone", () => {
    const more = { name: "more", cpu: 56, memory: 112 };
    const outcome = changed({ nodePools: [system, more] });
    const types = patched(old, outcome).spec?.["poolInstanceTypes"] as Record<string, string>;
    const zones = zonesOfType("gcp", "us-west2", types["more"] ?? "") ?? ["us-west2-b"];
    expect(types["more"]).toBeDefined();
    expect(zones).toContain("us-west2-b");
  });

  it("is refused a new pool of a type that its zone lacks", () => {
    const more = { name: "more", cpu: 56, memory: 112 };
    const { poolInstanceTypes } = old.spec as { poolInstanceTypes: Record<string, string> };
    const outcome = changed({
      ...{ nodePools: [system, more], poolInstanceTypes: { ...poolInstanceTypes, more: "c2d-highcpu-56" } },
    });
    expect(outcome.allowed).toBe(false);
  });

  it("keeps a pool whose type its zone lacks by today's table", () => {
    const types = { system: "c2d-highcpu-56" };
    const older = { ...old, spec: { ...old.spec, poolInstanceTypes: types } };
    const outcome = asked({ ...older, spec: { ...older.spec, tags: { team: "a" } } }, older);
    expect(outcome.allowed ? "" : outcome.message).not.toContain("c2d-highcpu-56");
  });
});
