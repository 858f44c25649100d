import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { beyondRules } from "../../../../src/admission/check/check-ports.ts";
import { HOUR_SECONDS } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();

const stored = (spec: Record<string, unknown>): WorkloadObject =>
  patched(vm(spec), admit(create(vm(spec)), context(policy)));

/** The old object with some spec fields and annotations changed; undefined removes. */
function edit(
  object: WorkloadObject,
  spec: Record<string, unknown>,
  annotations: Record<string, string> = {},
): WorkloadObject {
  const merged = Object.entries({ ...object.spec, ...spec }).filter(([, value]) => value !== undefined);
  const metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } };
  return { ...object, metadata, spec: Object.fromEntries(merged) };
}

const ask = (old: WorkloadObject, next: WorkloadObject, nowSeconds = NOW + HOUR_SECONDS) =>
  admit(update(old, next), context(policy, nowSeconds));

describe("an update that changes no input", () => {
  const spec = { cpu: 2, memory: 4, provider: "azure", schedulingLocation: "italynorth" };

  it("is unchanged if only metadata, finalizers or the status differ", () => {
    const old = stored(spec);
    const next = {
      ...old,
      metadata: { ...old.metadata, labels: { a: "b" }, finalizers: ["x"] },
      status: { digest: "1" },
    };
    expect(ask(old, next)).toEqual({ allowed: true, patch: [], warnings: [], decision: null });
  });

  it("restores everything that admission wrote, without a new decision, ten times in a row", () => {
    let object = stored(spec);
    const first = object;
    for (let round = 1; round <= 10; round++) {
      const manifest = vm(spec);
      const outcome = ask(object, manifest, NOW + round * HOUR_SECONDS);
      expect(outcome).toMatchObject({ allowed: true, warnings: [], decision: null });
      object = patched(manifest, outcome);
      expect(object.spec).toEqual(first.spec);
      expect(object.metadata.annotations).toEqual(first.metadata.annotations);
    }
  });

  it("restores the pause if a re-apply drops it before the start", () => {
    const later = { ...spec, schedulingTime: "2026-11-25T00:00:00Z" };
    const object = patched(vm(later), ask(stored(later), vm(later)));
    expect(object.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
  });

  it("may drop the pause after the start", () => {
    const later = { ...spec, schedulingTime: "2026-11-25T00:00:00Z" };
    const old = stored(later);
    const { [ANNOTATION.paused]: _paused, ...annotations } = old.metadata.annotations ?? {};
    const lifted = { ...old, metadata: { ...old.metadata, annotations } };
    expect(ask(old, lifted, NOW + 10 * 24 * HOUR_SECONDS)).toMatchObject({ allowed: true, patch: [] });
  });

  it("restores a decision that was edited by hand", () => {
    const old = stored(spec);
    const object = patched(
      edit(old, {}, { [ANNOTATION.decision]: "{}" }),
      ask(old, edit(old, {}, { [ANNOTATION.decision]: "{}" })),
    );
    expect(object.metadata.annotations).toEqual(old.metadata.annotations);
  });

  it("keeps the decision when tags or ports change", () => {
    const old = stored(spec);
    const next = edit(old, { tags: { team: "a" }, ports: [{ port: 443 }] });
    const outcome = ask(old, next);
    const path = "/metadata/annotations/landfall.dev~1seal";
    expect(outcome).toMatchObject({ allowed: true, patch: [{ op: "replace", path }], decision: null });
  });

  it("is allowed after its deadline has passed", () => {
    const timed = { ...spec, duration: "3h", deadline: "2026-11-21T06:00:00Z" };
    const old = stored(timed);
    expect(ask(old, edit(old, { tags: { a: "b" } }), NOW + 100 * HOUR_SECONDS)).toMatchObject({ allowed: true });
  });
});

describe("more rules of ports than a security group of EC2 has", () => {
  const onAws = { cpu: 2, memory: 4, provider: "aws", schedulingLocation: "eu-north-1" };
  const ports = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ port: 1000 + at, cidrs: ["10.0.0.0/8", "192.0.2.0/24"] }));
  const asInstalled = (old: WorkloadObject): WorkloadObject => ({
    ...old,
    status: { managed: [{ apiVersion: "v1", resource: "secrets", name: "web", namespace: "demo" }] },
  });
  const denied = { allowed: false, message: expect.stringContaining("ADM_SECURITY_RULES") as string };

  it.each<[string, (old: WorkloadObject) => WorkloadObject]>([
    ["that waits", (old) => old],
    ["that is installed", asInstalled],
  ])("are denied to an object %s", (_, as) => {
    const old = as(stored({ ...onAws, ports: ports(30) }));
    expect(ask(old, edit(old, { ports: ports(31) }))).toMatchObject(denied);
    expect(ask(old, edit(old, { ports: ports(29) }))).toMatchObject({ allowed: true });
  });

  it("stay where the machine has them, and get no more", () => {
    const had = { ports: ports(32) };
    expect([31, 32].map((count) => beyondRules({ ports: ports(count) }, had))).toEqual([null, null]);
    expect(beyondRules({ ports: ports(33) }, had)).toMatchObject({ code: "ADM_SECURITY_RULES", actual: "66" });
  });
});

describe("an update of an installed machine", () => {
  const azure = { cpu: 4, memory: 8, provider: "azure", schedulingLocation: "italynorth" };

  it("resizes in place if the provider can, keeps the place, and warns that the machine restarts", () => {
    const old = stored(azure);
    const outcome = ask(old, edit(old, { cpu: 2, memory: 4 }));
    const object = patched(edit(old, { cpu: 2, memory: 4 }), outcome);
    expect(object.spec?.["instanceType"]).not.toBe(old.spec?.["instanceType"]);
    expect(object.spec).toMatchObject({
      schedulingLocation: "italynorth",
      schedulingTime: old.spec?.["schedulingTime"],
    });
    expect(outcome.allowed ? outcome.warnings.join() : "").toContain("RESIZE_RESTARTS");
  });

  it.each([
    ["says that its public address becomes another one at Google Cloud", "gcp", { publicIP: true }, true],
    ["says nothing of an address that it does not have", "gcp", {}, false],
    ["keeps a public address at Azure", "azure", { publicIP: true }, false],
  ])("resizes in place, and %s", (_what, provider, network, expected) => {
    const old = stored({ cpu: 4, memory: 8, provider, network });
    const outcome = ask(old, edit(old, { cpu: 2, memory: 4 }));
    const told = outcome.allowed ? outcome.warnings.join() : "";
    expect(told).toContain("RESIZE_RESTARTS");
    expect(told.includes("public address becomes another one")).toBe(expected);
  });

  it("keeps its place although another one would be better now", () => {
    const old = stored({ cpu: 4, memory: 8 });
    const object = patched(
      edit(old, { maxLatency: 9000 }),
      ask(old, edit(old, { maxLatency: 9000 }), NOW + 30 * HOUR_SECONDS),
    );
    const fields = ["provider", "schedulingLocation", "instanceType", "schedulingTime", "zone", "image"];
    expect(fields.map((field) => object.spec?.[field])).toEqual(fields.map((field) => old.spec?.[field]));
  });

  it("is denied a size that AWS cannot change in place", () => {
    const old = stored({ cpu: 2, memory: 4, provider: "aws", schedulingLocation: "eu-west-1" });
    expect(ask(old, edit(old, { cpu: 16, memory: 64 }))).toMatchObject({
      allowed: false,
      codes: ["ADM_RESIZE_UNSUPPORTED"],
    });
  });

  it.each([
    [{ provider: "aws", schedulingLocation: "eu-west-1" }, " at 0.", "the AWS controller never stops an instance"],
    [{ provider: "elemento" }, ": elemento", "Elemento has no call that changes a machine"],
  ])("keeps its type on %o if a smaller request still fits it, and says so", (place, price, why) => {
    const old = stored({ cpu: 4, memory: 8, ...place });
    const keeps = (fields: Record<string, number>): string | undefined => {
      const outcome = ask(old, edit(old, fields));
      expect(patched(edit(old, fields), outcome).spec?.["instanceType"]).toBe(old.spec?.["instanceType"]);
      return (outcome.allowed ? outcome.warnings : []).find((text) => text.includes("RESIZE_KEEPS"));
    };
    for (const fields of [{ cpu: 2 }, { memory: 4 }, { cpu: 2, memory: 4 }]) {
      expect(keeps(fields)).toContain(`the machine stays ${String(old.spec?.["instanceType"])}${price}`);
      expect(keeps(fields)).toContain(why);
    }
    expect(keeps({ cpu: 4 })).toBeUndefined();
  });

  it.each([
    [{ schedulingLocation: "westeurope" }, "ADM_MOVE"],
    [{ provider: "gcp", schedulingLocation: "europe-west8" }, "ADM_MOVE"],
    [{ os: "debian-12" }, "ADM_IMMUTABLE"],
    [{ arch: "arm64" }, "ADM_IMMUTABLE"],
  ])("%j is denied with %s", (change, code) => {
    const old = stored({ cpu: 4, memory: 8, dataResidency: ["IT"] });
    expect(ask(old, edit(old, change))).toMatchObject({ allowed: false, codes: [code] });
  });

  it("is denied a new limit that its place does not meet", () => {
    const old = stored({ cpu: 2, memory: 4, provider: "azure", schedulingLocation: "swedencentral" });
    expect(ask(old, edit(old, { dataResidency: ["IT"] }))).toMatchObject({ allowed: false, codes: ["POL_RESIDENCY"] });
  });

  it("is decided again with landfall.dev/allow-move", () => {
    const old = stored({ cpu: 2, memory: 4, dataResidency: ["IT"] });
    const next = edit(old, { dataResidency: ["SE"] }, { [ANNOTATION.allowMove]: "true" });
    expect(patched(next, ask(old, next)).spec?.["schedulingLocation"]).not.toBe(old.spec?.["schedulingLocation"]);
  });
});

describe("an update before the start", () => {
  const later = {
    cpu: 2,
    memory: 4,
    duration: "3h",
    deadline: "2026-11-26T00:00:00Z",
    schedulingTime: "2026-11-25T00:00:00Z",
  };

  it("keeps a user's pause", () => {
    const object = vm({ cpu: 2, memory: 4 }, { annotations: { [ANNOTATION.paused]: "true" } });
    const old = patched(object, admit(create(object), context(policy)));
    const next = edit(old, { cpu: 4 });
    const { annotations = {} } = patched(next, ask(old, next)).metadata;
    expect(annotations[ANNOTATION.paused]).toBe("true");
    expect(JSON.parse(annotations[ANNOTATION.decision] ?? "")).toMatchObject({ held: false });
  });

  it("is decided again, and starts now when a later start is no longer requested", () => {
    const old = stored(later);
    const next = edit(old, { schedulingTime: undefined, deadline: undefined, dataResidency: ["IT"] });
    const object = patched(next, ask(old, next));
    expect(object.spec?.["schedulingTime"]).toBe("2026-11-20T23:00:00Z");
    expect(object.metadata.annotations?.[ANNOTATION.paused]).toBeUndefined();
  });
});
