import { describe, expect, it } from "vitest";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { signDecision, verifyDecision } from "../../../../src/model/decision-annotation/signature.ts";
import type { RunningSize } from "../../../../src/model/decision-annotation/system-secrets.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { readDecided } from "../../../../src/external-data/read-decided.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { copyOf, keys, openStore, placeOf } from "../../../support/admission-store.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const bundle = await loadPolicy();
const SPEC = { cpu: 4, memory: 8, provider: "azure", schedulingLocation: "italynorth" };

/** Kubernetes lets everyone who may change an object change this field, and Landfall's webhooks are not called for it. */
const renamed = (object: WorkloadObject, generateName: string | undefined): WorkloadObject => {
  const { generateName: _, ...others } = object.metadata;
  return { ...object, metadata: { ...others, ...(generateName === undefined ? {} : { generateName }) } };
};

function generated(generateName: string, annotations: Record<string, string> = {}) {
  const store = openStore(bundle, { "landfall.dev/quota-vcpus": "8" });
  const asked = vm(SPEC, { generateName, annotations });
  delete asked.metadata.name;
  return { ...store, stored: store.create(asked) };
}

describe("171: an object with a generated name", () => {
  it.each([
    ["another prefix", "zzz-"],
    ["no prefix", undefined],
    ["a shorter one", "we"],
  ])("keeps its decision with %s in generateName", (_, generateName) => {
    const { stored } = generated("web-");
    const decided = verifyDecision(keys, stored.object);
    expect(decided).not.toBeNull();
    const next = renamed(stored.object, generateName);
    expect(verifyDecision(keys, next)).toEqual(decided);
    expect(readDecided(keys, "VmTemplate", next)).toEqual(readDecided(keys, "VmTemplate", stored.object));
  });

  it("keeps the decision of a prefix that the API server shortens", () => {
    const { annotations = {}, namespace = "" } = generated("web-").stored.object.metadata;
    const compact = annotations[ANNOTATION.decision] ?? "";
    const prefix = "w".repeat(60);
    const signed = vm(SPEC, { namespace, generateName: prefix });
    delete signed.metadata.name;
    const seal = signDecision(keys, signed, compact, { use: "create", at: NOW, id: "0".repeat(32) });
    const named = { name: `${prefix.slice(0, 58)}abcde`, annotations: { ...annotations, [ANNOTATION.seal]: seal } };
    expect(verifyDecision(keys, vm(SPEC, named))).not.toBeNull();
  });

  it("is still one that runs: its later changes are judged like those before", () => {
    const { stored, install, update } = generated("web-");
    const status = { managed: [{ apiVersion: "v1", resource: "secrets", name: "web", namespace: "demo" }] };
    const object = { ...stored.object, status };
    install(object);
    const other = renamed(object, "zzz-");
    const moved = { ...other, spec: { ...other.spec, schedulingLocation: "swedencentral" } };
    expect(update(other, moved).message).toContain("ADM_MOVE");
    const later = { ...other, spec: { ...other.spec, schedulingTime: "2026-11-29T00:00:00Z" } };
    expect(update(other, later).message).toMatch(/ADM_(IMMUTABLE|STARTED)/);
  });

  it("has a decision for itself only", () => {
    const { stored, create } = generated("web-");
    const copied = create(copyOf(renamed(stored.object, "web-"), { name: "web-abcde" }), { seen: false });
    const id = (one: WorkloadObject) => verifyDecision(keys, one)?.signature.id;
    expect(id(copied.object)).not.toBe(id(stored.object));
    expect(
      verifyDecision(keys, { ...stored.object, metadata: { ...stored.object.metadata, name: "other-abcde" } }),
    ).toBeNull();
  });
});

describe("171: an object whose decision was removed while no webhook was called", () => {
  function undecided(running: Partial<RunningSize> = {}, spec: object = {}) {
    const store = openStore(bundle, { "landfall.dev/quota-vcpus": "8" });
    const { object } = store.create(vm({ ...SPEC, ...spec }));
    const place = "azure/italynorth";
    const mark = {
      kind: "VmTemplate",
      namespace: "demo",
      name: "web",
      uid: object.metadata.uid ?? "",
      release: "web-1",
    };
    const sizes = [{ place, vcpus: 4, memoryGiB: 8, pricePerHour: 0.2, ...running } as const];
    store.clusterData.apply({
      type: "release",
      record: "landfall.release.demo.web-1",
      installed: { ...mark, place, running: sizes },
    });
    const { annotations: _, ...metadata } = object.metadata;
    const bare = { ...object, metadata, spec: { ...SPEC, ...spec } };
    const change = (more: object, annotations: Record<string, string> = {}) =>
      store.update(bare, { ...bare, metadata: { ...metadata, annotations }, spec: { ...bare.spec, ...more } });
    return { change };
  }
  const MOVE = { schedulingLocation: "swedencentral" };

  it.each<[string, object, string]>([
    ["a start in the future", { schedulingTime: "2026-11-29T00:00:00Z" }, "ADM_STARTED"],
    ["another place", MOVE, "ADM_MOVE"],
  ])("does not get %s while a release of it is recorded", (_, more, code) => {
    const { change } = undecided();
    const { allowed, message } = change(more);
    expect([allowed, message]).toEqual([false, expect.stringContaining(code)]);
  });

  it("does not leave retained resources by a move", () => {
    const { change } = undecided({ retains: true });
    const moved = change(MOVE, { [ANNOTATION.allowMove]: "true" });
    expect([moved.allowed, moved.message]).toEqual([false, expect.stringContaining("ADM_RETAINED")]);
    const plain = undecided().change(MOVE, { [ANNOTATION.allowMove]: "true" });
    expect([plain.allowed, placeOf(plain.object)]).toEqual([true, "azure/swedencentral"]);
  });

  it("stays where it is and does not wait, although a later start elsewhere would be greener", () => {
    const { change } = undecided({}, { duration: "2h", deadline: "2026-11-23T00:00:00Z" });
    const { allowed, message, object } = change({
      provider: undefined,
      schedulingLocation: undefined,
      tags: { a: "b" },
    });
    expect([allowed, message]).toEqual([true, ""]);
    expect(placeOf(object)).toBe("azure/italynorth");
    expect(object.metadata.annotations).not.toHaveProperty(ANNOTATION.paused);
    expect(readDecision(object)?.placement.start).toBe(formatTime(NOW));
  });
});
