import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { guard } from "../../../../src/admission/guard.ts";
import type { AdmissionContext } from "../../../../src/admission/types.ts";
import { judgeSignature } from "../../../../src/cli/commands/keys/judge-signature.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { type KeyRing, ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { lostKeyOf, signDecision, verifyDecision } from "../../../../src/model/decision-annotation/signature.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, INSTALLED, NO_OWNERS, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const [LOST, FOUND] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
const [lost, found, both] = [ringOf(LOST), ringOf(FOUND), ringOf(FOUND, LOST)];

const at = (keys: KeyRing, owners = INSTALLED): AdmissionContext => ({ ...context(policy, NOW, owners), keys });

/** A decided object as it is stored. */
function stored(spec: object = {}): WorkloadObject {
  const bare = vm({ cpu: 2, memory: 4, ...spec });
  const object = patched(bare, admit(create(bare), at(lost)));
  const metadata = { ...object.metadata, uid: randomUUID(), creationTimestamp: formatTime(NOW) };
  return { ...object, metadata };
}

const withMetadata = (object: WorkloadObject, metadata: Partial<WorkloadObject["metadata"]>): WorkloadObject => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});

/** Both webhooks. */
function change(before: WorkloadObject, after: WorkloadObject, given: AdmissionContext): WorkloadObject | string {
  const outcome = admit(update(before, after), given);
  if (!outcome.allowed) return outcome.codes.join();
  const next = patched(after, outcome);
  const checked = guard(update(before, next), given);
  return checked.allowed ? next : checked.codes.join();
}

const keyOf = (object: WorkloadObject) => object.metadata.annotations?.[ANNOTATION.seal]?.split(".")[2];

describe("16: an object whose key is lost", () => {
  it.each<[string, Partial<WorkloadObject["metadata"]>]>([
    [
      "labels and finalizers",
      { labels: { "krateo.io/release-name": "web-1" }, finalizers: ["composition.krateo.io/finalizer"] },
    ],
    ["its deletion", { deletionTimestamp: formatTime(NOW), finalizers: [] }],
  ])("takes %s as before, with its decision as it is", (_, metadata) => {
    const object = stored();
    for (const owners of [INSTALLED, NO_OWNERS])
      expect(change(object, withMetadata(object, metadata), at(found, owners))).toEqual(withMetadata(object, metadata));
  });

  it("stays in its place when its user changes it, and is signed by a key that is there", () => {
    const object = stored({ provider: "azure" });
    const place = readDecision(object)?.placement;
    const changed = change(object, { ...object, spec: { ...object.spec, cpu: 4 } }, at(found));
    if (typeof changed === "string") throw new TypeError(changed);
    expect(readDecision(changed)?.placement).toMatchObject({ provider: place?.provider, region: place?.region });
    expect(keyOf(changed)).toBe(found[0].id);
    // As kubectl replace sends it: without what was decided.
    const bare = { ...object, spec: { cpu: 4, memory: 4, provider: "azure" } };
    const replaced = change(object, bare, at(found));
    if (typeof replaced === "string") throw new TypeError(replaced);
    expect(readDecision(replaced)?.placement).toMatchObject({ provider: place?.provider, region: place?.region });
  });

  it("accepts no other decision, and no other value of a decided field", () => {
    const object = stored();
    const annotations = { ...object.metadata.annotations, [ANNOTATION.decision]: "{}" };
    const given = at(found);
    expect(guard(update(object, withMetadata(object, { annotations })), given)).toMatchObject({
      codes: ["ADM_DECISION_FORGED"],
    });
    const moved = { ...object, spec: { ...object.spec, schedulingLocation: "elsewhere" } };
    expect(guard(update(object, moved), given)).toMatchObject({ codes: ["ADM_DECISION_FORGED"] });
  });

  it("is told from one that nobody signed by the id of the key", () => {
    const object = stored();
    expect([lostKeyOf(found, object), lostKeyOf(lost, object)]).toEqual([lost[0].id, null]);
  });

  it("takes a new signature for its uid, and nothing else changes", () => {
    const object = stored();
    const compact = object.metadata.annotations?.[ANNOTATION.decision] ?? "";
    const claim = { use: "uid", at: NOW, id: object.metadata.uid ?? "" } as const;
    const signature = (keys: KeyRing) => ({
      annotations: { ...object.metadata.annotations, [ANNOTATION.seal]: signDecision(keys, object, compact, claim) },
    });
    const signed = withMetadata(object, signature(found));
    expect(change(object, signed, at(found))).toEqual(signed);
    const foreign = withMetadata(object, signature(ringOf(Buffer.alloc(32, 9))));
    expect(guard(update(object, foreign), at(found))).toMatchObject({ codes: ["ADM_DECISION_FORGED"] });
  });
});

describe("16: a rotated key", () => {
  it("verifies until it is removed, and the new one signs", () => {
    const object = stored({ provider: "azure" });
    expect(verifyDecision(both, object)).not.toBeNull();
    expect(verifyDecision(found, object)).toBeNull();
    const changed = change(object, { ...object, spec: { ...object.spec, cpu: 4 } }, at(both));
    if (typeof changed === "string") throw new TypeError(changed);
    expect(keyOf(changed)).toBe(found[0].id);
  });
});

describe("16: signing again", () => {
  const judge = (object: WorkloadObject, keys: KeyRing, owners = INSTALLED, named: string[] = []) =>
    judgeSignature(object as Resource, { ring: keys, lost: new Set(named), owners });
  const sign = { do: "sign", from: lost[0].id };

  it("is done for decisions that are the object's own", () => {
    const object = stored();
    const bound = { ...NO_OWNERS, ownerOf: () => object.metadata.uid ?? "" };
    expect(judge(object, both, bound)).toEqual(sign);
    expect(judge(object, both)).toEqual(sign);
    expect(judge(object, lost, bound)).toEqual({ do: "keep" });
  });

  it("is not done for a copy, or for one that no controller has looked at", () => {
    const object = stored();
    expect(judge(object, both, { ...NO_OWNERS, ownerOf: () => randomUUID() }).do).toBe("skip");
    expect(judge(object, both, NO_OWNERS).do).toBe("skip");
  });

  it("is done for a lost key only if it is named, and a recorded release confirms the place", () => {
    const object = stored();
    expect(judge(object, found).do).toBe("skip");
    expect(judge(object, found, INSTALLED, [lost[0].id])).toEqual(sign);
    const bound = { ...NO_OWNERS, ownerOf: () => object.metadata.uid ?? "" };
    expect(judge(object, found, bound, [lost[0].id]).do).toBe("skip");
    const changed = { ...object, spec: { ...object.spec, cpu: 64 } };
    expect(judge(changed, found, INSTALLED, [lost[0].id]).do).toBe("skip");
  });
});
