import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { guard } from "../../../../src/admission/guard.ts";
import type { AdmissionContext } from "../../../../src/admission/types.ts";
import { judgeSignature } from "../../../../src/cli/commands/keys/judge-signature.ts";
import { createDecisionIndex } from "../../../../src/external-data/decision-index.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { verifyDecision } from "../../../../src/model/decision-annotation/signature.ts";
import { specDigest } from "../../../../src/model/decision-annotation/still-holds.ts";
import type { ReleaseMark } from "../../../../src/model/decision-annotation/system-secrets.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { readWorkload } from "../../../../src/model/read-workload.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, NO_OWNERS, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const [KEY, OTHER] = [ringOf(Buffer.alloc(32, 7)), ringOf(Buffer.alloc(32, 8))];
const QUOTA = 10;
const usage = { objects: 0, vcpus: 0, memoryGiB: 0, pricePerMonth: 0 };

/** The webhook, in a cluster whose controller recorded this object as it is. */
function recorded(object: WorkloadObject, keys = KEY): AdmissionContext {
  const { provider = "", region = "" } = readDecision(object)?.placement ?? {};
  const place = `${provider}/${region}` as const;
  const running = [{ place, vcpus: 2, memoryGiB: 4, pricePerHour: 0.05 }];
  const spec = specDigest(object.spec);
  const mark: ReleaseMark = {
    ...{ kind: "VmTemplate", namespace: "demo", name: "web", uid: "u-1" },
    release: "web-1",
    place,
    running,
    spec,
  };
  const index = createDecisionIndex();
  index.apply({ type: "release", record: "landfall.release.demo.web-1", installed: mark });
  const { isInstalled, recordedSpecs } = index;
  return {
    ...context(policy, NOW, { ...NO_OWNERS, isInstalled, recordedSpecs, runningOf: () => running }),
    ...{ keys, placed: () => [] },
    relatedWorkloads: { usage, vmName: "web", sameVmName: [], asOf: NOW },
    namespace: { name: "demo", labels: {}, annotations: { "landfall.dev/quota-vcpus": String(QUOTA) } },
  };
}

function stored(spec: object): WorkloadObject {
  const asked = vm({ cpu: 2, memory: 4, ...spec });
  const object = patched(asked, admit(create(asked), { ...context(policy, NOW, NO_OWNERS), keys: KEY }));
  const status = { managed: [{ apiVersion: "v1", resource: "secrets", name: "web", namespace: "demo" }] };
  return { ...object, metadata: { ...object.metadata, uid: "u-1" }, status };
}

/** What a tenant writes while no webhook is called: a larger type, in the decision and in the spec. */
function forged(object: WorkloadObject, instanceType: string, keyId?: string): WorkloadObject {
  const { annotations = {} } = object.metadata;
  const decision = JSON.parse(annotations[ANNOTATION.decision] ?? "{}") as { placement: object };
  const compact = JSON.stringify({ ...decision, placement: { ...decision.placement, instanceType } });
  const seal = (annotations[ANNOTATION.seal] ?? "")
    .split(".")
    .with(2, keyId ?? KEY[0].id)
    .join(".");
  const written = { ...annotations, [ANNOTATION.decision]: compact, [ANNOTATION.seal]: seal };
  return { ...object, spec: { ...object.spec, instanceType }, metadata: { ...object.metadata, annotations: written } };
}

const withTag = (object: WorkloadObject, more: object = {}): WorkloadObject => ({
  ...object,
  spec: { ...object.spec, tags: { a: "b" }, ...more },
});

const CASES: [string, string, string][] = [
  ["gcp", "europe-west1", "n2-highcpu-96"],
  ["azure", "italynorth", "Standard_D96s_v5"],
];

describe.each(CASES)(
  "142: a decision for %s that was written while no webhook was called",
  (provider, schedulingLocation, type) => {
    it.each([
      ["a key that is there", undefined],
      ["a key that nobody knows", "00000000"],
    ])("is not signed, and counts as what it asks: it names %s", (_, keyId) => {
      const object = stored({ provider, schedulingLocation });
      const at = recorded(object);
      const before = forged(object, type, keyId);
      expect(verifyDecision(at.keys, before)).toBeNull();
      const outcome = admit(update(before, withTag(before)), at);
      expect(outcome).toMatchObject({ allowed: false });
      expect("codes" in outcome ? outcome.codes : []).toContain("POL_QUOTA");
      expect(
        judgeSignature(before as Resource, { ring: at.keys, lost: new Set(["00000000"]), owners: at.owners }).do,
      ).toBe("skip");
    });

    it("is decided as what it asks where the quota has room, and counts as large", () => {
      const object = stored({ provider, schedulingLocation });
      const roomy = { name: "demo", labels: {}, annotations: { "landfall.dev/quota-vcpus": "500" } };
      const at = { ...recorded(object), namespace: roomy };
      const before = forged(object, type);
      const next = patched(withTag(before), admit(update(before, withTag(before)), at));
      expect(guard(update(before, next), at).allowed).toBe(true);
      expect(readWorkload("VmTemplate", next).vcpus).toBe(96);
    });

    it("does not keep what is installed from being asked for again", () => {
      const object = stored({ provider, schedulingLocation });
      const at = recorded(object);
      const before = forged(object, type);
      const back = { ...before, spec: { ...object.spec } };
      const outcome = admit(update(before, back), at);
      const after = patched(back, outcome);
      expect(guard(update(before, after), at).allowed).toBe(true);
      expect(readDecision(after)?.placement).toMatchObject({ provider, region: schedulingLocation });
    });
  },
);

describe("142: a decision whose key was lost", () => {
  it("stays where the record says that its spec is installed", () => {
    const object = stored({ provider: "gcp", schedulingLocation: "europe-west1" });
    const at = recorded(object, OTHER);
    const after = patched(withTag(object), admit(update(object, withTag(object)), at));
    expect(guard(update(object, after), at).allowed).toBe(true);
    const [was, is] = [readDecision(object)?.placement, readDecision(after)?.placement];
    expect(is).toMatchObject({ provider: was?.provider, region: was?.region, instanceType: was?.instanceType });
    const lost = new Set([KEY[0].id]);
    expect(judgeSignature(object as Resource, { ring: OTHER, lost, owners: at.owners }).do).toBe("sign");
  });

  it("keeps its place where its spec was changed since, and its user names no place", () => {
    const object = stored({ provider: "gcp", schedulingLocation: "europe-west1" });
    const at = recorded(object, OTHER);
    const changed = { ...object, spec: { ...object.spec, tags: { since: "then" } } };
    const bare = { ...changed, spec: { cpu: 2, memory: 4, tags: { a: "b" } } };
    const after = patched(bare, admit(update(changed, bare), at));
    expect(readDecision(after)?.placement).toMatchObject({ provider: "gcp", region: "europe-west1" });
  });
});
