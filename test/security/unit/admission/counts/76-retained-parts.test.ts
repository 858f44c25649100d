import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../../src/admission/types.ts";
import { ANNOTATION } from "../../../../../src/model/names.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { context, INSTALLED as RECORDED, NO_OWNERS, NOW, patched, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

type Spec = Record<string, unknown>;

const policy = await loadPolicy();
const INSTALLED = { managed: [{ apiVersion: "v1", resource: "secrets", name: "web", namespace: "demo" }] };
const POOL = { count: 1, cpu: 2, memory: 8 };
const [A, B1, B2] = ["a", "b1", "b2"].map((name) => ({ name, ...POOL }));
const DISK = { name: "data", sizeGiB: 100 };
const REMOVED = "the disk data is deleted, and what is on it [DISK_REMOVED]";
const PLACES: [string, string][] = [
  ["aws", "eu-north-1"],
  ["azure", "italynorth"],
  ["gcp", "europe-west1"],
];

function installed(kind: "KaasCluster" | "VmTemplate", spec: Spec): WorkloadObject {
  const object: WorkloadObject = { ...vm(spec), kind };
  const first = admit({ uid: "1", operation: "CREATE", kind, object, oldObject: null }, context(policy));
  expect(first).toMatchObject({ allowed: true });
  return { ...patched(object, first), status: INSTALLED };
}

function change(
  old: WorkloadObject,
  spec: Spec,
  annotations: Record<string, string> = {},
  owners = NO_OWNERS,
): Outcome {
  const metadata = { ...old.metadata, annotations: { ...old.metadata.annotations, ...annotations } };
  const object = { ...old, metadata, spec: { ...old.spec, ...spec } };
  const kind = old.kind as "KaasCluster" | "VmTemplate";
  return admit({ uid: "2", operation: "UPDATE", kind, object, oldObject: old }, context(policy, NOW + 60, owners));
}

const codes = (outcome: Outcome): readonly string[] => (outcome.allowed ? [] : outcome.codes);

describe("76: an installed object with deletionPolicy: retain", () => {
  describe.each(PLACES)("at %s", (provider, schedulingLocation) => {
    const place = { provider, schedulingLocation };
    const cluster = (more: Spec): WorkloadObject => installed("KaasCluster", { ...place, nodePools: [A, B1], ...more });
    const machine = (more: Spec): WorkloadObject =>
      installed("VmTemplate", { ...place, cpu: 2, memory: 8, disks: [DISK], ...more });
    const types = { poolInstanceTypes: undefined };

    it("loses no pool, renamed or not, and no disk", () => {
      const kept = cluster({ deletionPolicy: "retain" });
      expect(codes(change(kept, { nodePools: [A], ...types }))).toEqual(["ADM_RETAINED"]);
      const renaming = { [ANNOTATION.renamePool]: "b1=b2" };
      expect(codes(change(kept, { nodePools: [A, B2], ...types }, renaming))).toEqual(["ADM_RETAINED"]);
      expect(codes(change(machine({ deletionPolicy: "retain" }), { disks: [] }))).toContain("ADM_RETAINED");
    });

    it("loses none in the change that stops retaining, because the installed ones are still retained", () => {
      const kept = cluster({ deletionPolicy: "retain" });
      const outcome = change(kept, { deletionPolicy: "delete", nodePools: [A], ...types });
      expect(codes(outcome)).toEqual(["ADM_RETAINED"]);
      expect(outcome.allowed ? "" : outcome.message).toMatch(/pool b1 [\s\S]*set deletionPolicy: delete first/);
    });

    it("may stop retaining, and then loses them", () => {
      expect(codes(change(cluster({ deletionPolicy: "retain" }), { deletionPolicy: "delete" }))).toEqual([]);
      expect(codes(change(cluster({ deletionPolicy: "delete" }), { nodePools: [A], ...types }))).toEqual([]);
      const outcome = change(machine({}), { disks: [] });
      // AWS changes no disks of a machine that is there, and Azure keeps the last one.
      if (provider !== "gcp") expect(codes(outcome)).toEqual(["ADM_IGNORED"]);
      else expect(outcome).toMatchObject({ allowed: true, warnings: [REMOVED] });
    });

    it("gets pools, and loses those of an object that is not installed", () => {
      const kept = cluster({ deletionPolicy: "retain" });
      expect(codes(change(kept, { nodePools: [A, B1, B2], ...types }))).toEqual([]);
      const { status: _status, ...waiting } = kept;
      expect(codes(change(waiting, { nodePools: [A], ...types }))).toEqual([]);
    });

    it("does not move with landfall.dev/allow-move", () => {
      const [to] = PLACES.filter(([other]) => other !== provider).map(([name, region]) => ({
        provider: name,
        schedulingLocation: region,
        ...{ zone: undefined, instanceType: undefined, image: undefined },
      }));
      const move = { [ANNOTATION.allowMove]: "true" };
      expect(codes(change(machine({ deletionPolicy: "retain" }), to ?? {}, move))).toEqual(["ADM_RETAINED"]);
      expect(codes(change(machine({}), to ?? {}, move))).toEqual([]);
    });
  });

  it("keeps what is recorded as installed, also if its status says otherwise", () => {
    const kept = installed("KaasCluster", {
      ...{ provider: "gcp", schedulingLocation: "europe-west1", deletionPolicy: "retain" },
      nodePools: [A, B1],
    });
    const { status: _status, ...emptied } = kept;
    const less = { nodePools: [A], poolInstanceTypes: undefined };
    expect(codes(change(emptied, less, {}, RECORDED))).toEqual(["ADM_RETAINED"]);
  });
});
