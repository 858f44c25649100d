import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { guard } from "../../../../src/admission/guard.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { context, create, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const decided = patched(vm({ cpu: 2, memory: 4 }), admit(create(vm({ cpu: 2, memory: 4 })), context(policy)));

const withSpec = (spec: Record<string, unknown>): WorkloadObject => ({
  ...decided,
  spec: { ...decided.spec, ...spec },
});
const withAnnotations = (annotations: Record<string, string>): WorkloadObject => ({
  ...decided,
  metadata: { ...decided.metadata, annotations },
});

const deleted = (object: WorkloadObject): WorkloadObject => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: "2026-11-21T00:00:00Z" },
});

describe("guard", () => {
  it("allows a decided object", () => {
    expect(guard(create(decided), context(policy))).toMatchObject({ allowed: true, patch: [] });
    expect(guard(update(decided, decided), context(policy))).toMatchObject({ allowed: true });
  });

  it.each([
    ["an object that was never decided", vm({ cpu: 2, memory: 4 }), "ADM_DECISION_FORGED"],
    [
      "a decision without a seal",
      withAnnotations({ [ANNOTATION.decision]: decided.metadata.annotations?.[ANNOTATION.decision] ?? "" }),
      "ADM_DECISION_FORGED",
    ],
    [
      "a decision that was edited",
      withAnnotations({
        ...decided.metadata.annotations,
        [ANNOTATION.decision]: (decided.metadata.annotations?.[ANNOTATION.decision] ?? "")
          .replace("now", "NOW")
          .replace(/"gramsCO2":[\d.]+/, '"gramsCO2":0'),
      }),
      "ADM_DECISION_FORGED",
    ],
    ["a place that another webhook changed", withSpec({ schedulingLocation: "elsewhere" }), "ADM_DECIDED_FIELD"],
    ["an instance type that another webhook changed", withSpec({ instanceType: "huge" }), "ADM_DECIDED_FIELD"],
    ["an input that another webhook changed", withSpec({ cpu: 64 }), "ADM_DECIDED_FIELD"],
  ])("refuses %s", (_name, object, code) => {
    expect(guard(create(object), context(policy))).toMatchObject({ allowed: false, codes: [code] });
  });

  it("denies a decision that was copied into another namespace", () => {
    const moved = { ...decided, metadata: { ...decided.metadata, namespace: "other" } };
    expect(guard(create(moved), context(policy))).toMatchObject({ allowed: false, codes: ["ADM_DECISION_FORGED"] });
  });

  it("denies an update that drops the decision", () => {
    const bare = { ...decided, metadata: { name: "web", namespace: "demo" } };
    expect(guard(update(decided, bare), context(policy))).toMatchObject({
      allowed: false,
      codes: ["ADM_DECISION_FORGED"],
    });
  });

  it("allows updates of objects from before Landfall, and the removal of finalizers", () => {
    const bare = vm({ cpu: 2, memory: 4 });
    expect(guard(update(bare, bare), context(policy))).toMatchObject({ allowed: true });
    const undecided = deleted(bare);
    expect(guard(update(undecided, undecided), context(policy))).toMatchObject({ allowed: true });
    const held = deleted({ ...decided, metadata: { ...decided.metadata, finalizers: ["t/x"] } });
    expect(guard(update(held, deleted(decided)), context(policy))).toMatchObject({ allowed: true });
  });

  it.each([
    ["another size", withSpec({ cpu: 64 }), "ADM_DELETING"],
    ["a decision of its user's own", withAnnotations({ [ANNOTATION.decision]: "{}" }), "ADM_DECISION_FORGED"],
  ])("denies %s of an object that is being deleted, since it still counts against budgets", (_, changed, code) => {
    expect(guard(update(deleted(decided), deleted(changed)), context(policy))).toMatchObject({
      allowed: false,
      codes: [code],
    });
  });

  it("denies a decision that was made for another generated name", () => {
    const generated = vm({ cpu: 2, memory: 4 });
    generated.metadata = { generateName: "web-", namespace: "demo" };
    const signed = patched(generated, admit(create(generated), context(policy)));
    const named = (name: string): WorkloadObject => ({ ...signed, metadata: { ...signed.metadata, name } });
    expect(guard(create(named("web-x7k2q")), context(policy))).toMatchObject({ allowed: true });
    expect(guard(create(named("other")), context(policy))).toMatchObject({ codes: ["ADM_DECISION_FORGED"] });
  });
});
