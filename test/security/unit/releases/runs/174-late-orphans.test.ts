import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { guard } from "../../../../../src/admission/guard.ts";
import { ANNOTATION, DELETION_POLICY } from "../../../../../src/model/names.ts";
import { formatTime } from "../../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { GUARD_CONDITIONS } from "../../../../../webhook/registration/match-conditions.ts";
import { context, create, NO_OWNERS, NOW, patched, update, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const given = context(await loadPolicy(), NOW, NO_OWNERS);
const deletionTimestamp = formatTime(NOW);

const asked = vm({ cpu: 2, memory: 8, provider: "azure", schedulingLocation: "italynorth" });
const decided = patched(asked, admit(create(asked), given));

/** The object with these annotations besides its own; `undefined` removes one. */
function annotated(object: WorkloadObject, more: Record<string, string | undefined>): WorkloadObject {
  const all = Object.entries({ ...object.metadata.annotations, ...more });
  const annotations = Object.fromEntries(all.filter((one): one is [string, string] => one[1] !== undefined));
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const deleting = (object: WorkloadObject): WorkloadObject => ({
  ...object,
  metadata: { ...object.metadata, uid: "u-1", deletionTimestamp },
});

const codes = (before: WorkloadObject, after: WorkloadObject): readonly string[] => {
  const outcome = guard(update(before, after), given);
  return outcome.allowed ? [] : outcome.codes;
};

const UNDECIDED = { [ANNOTATION.decision]: undefined, [ANNOTATION.seal]: undefined };

describe("174: an object that is being deleted", () => {
  it.each<[string, WorkloadObject]>([
    ["with a decision", deleting(decided)],
    ["without one", deleting(annotated(decided, UNDECIDED))],
  ])("%s cannot be told to leave its resources behind", (_, before) => {
    const after = annotated(before, { [DELETION_POLICY]: "orphan" });
    expect(codes(before, after)).toEqual(["ADM_ORPHAN_LATE"]);
    // A request may lack the time of deletion, which the API server puts back.
    const { deletionTimestamp: __, ...metadata } = after.metadata;
    expect(codes(before, { ...after, metadata })).toEqual(["ADM_ORPHAN_LATE"]);
    expect(codes(annotated(before, { [DELETION_POLICY]: "delete" }), after)).toEqual(["ADM_ORPHAN_LATE"]);
  });

  it("keeps what was set before, and may delete its resources after all", () => {
    const orphan = deleting(annotated(decided, { [DELETION_POLICY]: "orphan" }));
    expect(codes(orphan, annotated(orphan, { other: "text" }))).toEqual([]);
    expect(codes(orphan, annotated(orphan, { [DELETION_POLICY]: undefined }))).toEqual([]);
  });

  it("is shown to the guard if that annotation changes", () => {
    const [condition] = GUARD_CONDITIONS.filter(({ name }) => name === "not-being-deleted");
    expect(condition?.expression).toContain(DELETION_POLICY);
  });
});
