import { describe, expect, it } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { explainObjects } from "../../../src/cli/objects/explain-objects.ts";
import { HELD_BY_USER } from "../../../src/model/decision-annotation/pause.ts";
import { asNew, stripDecision } from "../../../src/model/decision-annotation/strip-decision.ts";
import { ANNOTATION } from "../../../src/model/names.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import { context, create, NOW, patched, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

const policy = await loadPolicy();
const FREE = { cpu: 2, memory: 4, duration: "3h", deadline: "2026-11-26T00:00:00Z" };
/** With this place, the start that admission chooses lies ahead. */
const SPEC = { ...FREE, provider: "azure", schedulingLocation: "germanywestcentral" };

const withAnnotations = (object: WorkloadObject, annotations: Record<string, string>): WorkloadObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});

const stored = (object: WorkloadObject): WorkloadObject => patched(object, admit(create(object), context(policy)));

const explained = (object: WorkloadObject, nowSeconds = NOW) =>
  explainObjects({ workloads: [{ kind: "VmTemplate", object }], namespaces: new Map(), settings: null } as never, {
    policy,
    nowSeconds,
    origin: null,
  })[0];

describe("explain, as the webhook", () => {
  it.each([
    ["ADM_RUN_LONG", ANNOTATION.run, "x".repeat(64)],
    ["ADM_REPAIR", ANNOTATION.repair, "always"],
    ["ADM_COMPLETED", ANNOTATION.completed, "succeeded"],
    ["ADM_COMPLETED", ANNOTATION.completed, "done"],
  ])("denies with %s what a new object may not say of its run", (code, name, value) => {
    const object = withAnnotations(vm(SPEC), { [name]: value });
    const decision = explained(object);
    expect([decision?.allowed, decision?.denials[0]?.code]).toEqual([false, code]);
    expect(decision?.denials[0]?.field).toBe(`metadata.annotations[${name}]`);
    expect(admit(create(object), context(policy)).allowed).toBe(false);
  });

  it("takes a stored object as new without the report of its last run", () => {
    const object = withAnnotations(stored(vm(SPEC)), { [ANNOTATION.completed]: "succeeded" });
    expect(asNew(object)).toEqual(withAnnotations(vm(SPEC), {}));
  });
});

describe("stripDecision", () => {
  it("returns the object as its user wrote it", () => {
    const user = withAnnotations(vm(SPEC), { team: "a" });
    expect(stored(user).metadata.annotations?.[ANNOTATION.paused]).toBe("true");
    expect(stripDecision(stored(user))).toEqual(user);
  });

  it("drops every field that admission wrote", () => {
    const object = stored(vm(FREE));
    expect(object.spec).toHaveProperty("schedulingLocation");
    expect(stripDecision(object)).toEqual(withAnnotations(vm(FREE), {}));
  });

  it("keeps a user's own pause", () => {
    const user = withAnnotations(vm(SPEC), { [ANNOTATION.paused]: "true" });
    const object = stored(user);
    expect(object.metadata.annotations?.[ANNOTATION.hold]).toBe(HELD_BY_USER);
    expect(stripDecision(object).metadata.annotations).toEqual({
      [ANNOTATION.paused]: "true",
      [ANNOTATION.hold]: HELD_BY_USER,
    });
  });

  it("removes the controller's global and keeps every other field of an object without a decision", () => {
    const object = vm({ ...SPEC, zone: "1", global: { compositionName: "a" } });
    expect(stripDecision(object).spec).toEqual({ ...SPEC, zone: "1" });
  });

  it("keeps the spec on request", () => {
    const object = stored(vm(SPEC));
    const stripped = stripDecision(object, { keepFields: true });
    expect(stripped.spec).toEqual(object.spec);
    expect(stripped.metadata.annotations).toEqual({});
  });
});

describe("landfall explain for an object that was decided before", () => {
  it("decides as for the manifest of its user, and does not pin what admission wrote", () => {
    const object = stored(vm(FREE));
    expect(explained(object)).toEqual(explained(vm(FREE)));
    expect(explained(object)?.written).toContain("schedulingLocation");
  });

  it("finds a new start once the written one is past", () => {
    const object = stored(vm(SPEC));
    const nowSeconds = Date.parse(String(object.spec?.["schedulingTime"])) / 1000 + 3600;
    expect(explained(object, nowSeconds)).toEqual(explained(vm(SPEC), nowSeconds));
  });
});
