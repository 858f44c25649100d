import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime, HOUR_SECONDS } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { askingSize, context, create, INSTALLED, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "12h", deadline: formatTime(NOW + 96 * HOUR_SECONDS), waitingCostPercent: 0 },
  ...{ origin: "azure/spaincentral", dataResidency: ["EU"], interruptible: { by: "recreate" } },
};
/** What its controller recorded of its run: it has no machine, or it has one. */
const [WITHOUT, WITH] = [true, false].map((lacks) => ({ ...INSTALLED, lacksMachine: () => lacks }));
const contextAt = (hour: number, owners = WITHOUT) => context(policy, NOW + hour * HOUR_SECONDS, owners);
const SOLD_OUT = { type: "Ready", status: "False", reason: "ProviderCapacity", message: "" };

/** As it is stored once it is installed, with this condition. */
function installed(spec: Record<string, unknown> = {}, ready: Record<string, string> = SOLD_OUT): WorkloadObject {
  const asked = vm({ ...SPEC, ...spec }, { uid: "u1" });
  const outcome = admit(create(asked), contextAt(0));
  if (!outcome.allowed) throw new TypeError(outcome.message);
  const stored = patched(asked, outcome);
  const { [ANNOTATION.paused]: _paused, ...annotations } = stored.metadata.annotations ?? {};
  const status = { managed: [{}], conditions: [ready] };
  return { ...stored, metadata: { ...stored.metadata, annotations }, status };
}

function asking(object: WorkloadObject, command: string): WorkloadObject {
  if (command === "another-size") return askingSize(object, NOW + 30 * HOUR_SECONDS);
  const annotations = { ...object.metadata.annotations, [ANNOTATION.reevaluate]: command };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
const ask = (object: WorkloadObject, command = "another-place", owners = WITHOUT): Outcome =>
  admit(update(object, asking(object, command)), contextAt(30, owners));
const told = (outcome: Outcome): string => (outcome.allowed ? outcome.warnings.join("\n") : outcome.message);
const placeOf = ({ spec = {} }: WorkloadObject) => `${String(spec["provider"])}/${String(spec["schedulingLocation"])}`;

describe("another place of a run whose provider has no machine", () => {
  it("is the best other one that its policies allow, with the same pauses, and a third one after that", () => {
    const object = installed();
    const outcome = ask(object);
    const moved = patched(asking(object, "another-place"), outcome);
    expect(placeOf(moved)).not.toBe(placeOf(object));
    expect(told(outcome)).toContain(
      `its run continues in ${placeOf(moved)}, because ${placeOf(object)} has no machine`,
    );
    const [before, after] = [object, moved].map((one) => readDecision(one));
    expect(after?.placement.segments).toEqual(before?.placement.segments);
    expect(after?.moves).toMatchObject([{ why: `no capacity: ${placeOf(object)}`, to: { place: placeOf(moved) } }]);
    expect(moved.metadata.annotations).not.toHaveProperty(ANNOTATION.reevaluate);
    const third = patched(asking(moved, "another-place"), ask(moved));
    expect(new Set([object, moved, third].map(placeOf)).size).toBe(3);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      "its user fixed the place",
      { provider: "azure", schedulingLocation: "spaincentral" },
      /its user fixed it \[STAYS/,
    ],
    [
      "a data disk is there",
      { disks: [{ name: "d", sizeGiB: 9, deletionPolicy: "retain" }] },
      /it has data disks there/,
    ],
  ])("is none if %s", (_what, spec, text) => {
    const object = installed(spec);
    const outcome = ask(object);
    expect(told(outcome)).toMatch(text);
    expect(patched(asking(object, "another-place"), outcome).spec).toEqual(object.spec);
  });

  it("leaves no zone of the former place behind", () => {
    const object = installed({ origin: "azure/westus", dataResidency: undefined, maxLatency: 12, maxPrice: "0.1" });
    expect([placeOf(object), object.spec?.["zone"]]).toEqual(["aws/us-west-1", "us-west-1a"]);
    const moved = patched(asking(object, "another-place"), ask(object));
    expect(placeOf(moved)).toBe("azure/westus");
    expect(moved.spec).not.toHaveProperty("zone");
    expect(readDecision(moved)?.placement.zone).toBeNull();
    // What it asks for is decided as a new object would be.
    expect(admit(create({ ...moved, metadata: { name: "copy", namespace: "demo" } }), contextAt(30)).allowed).toBe(
      true,
    );
  });

  it("is none while its run has a machine by its record, whatever its status says", () => {
    const object = installed();
    const outcome = ask(object, "another-place", WITH);
    expect(told(outcome)).toMatch(/it creates no machine now, or its provider has one \[STAYS/);
    expect(patched(asking(object, "another-place"), outcome).spec).toEqual(object.spec);
    const aws = installed({ provider: "aws" });
    expect(told(ask(aws, "another-size", WITH))).toMatch(/its machine keeps its size: the AWS controller never stops/);
  });

  it("is none while its provider has a machine, or no other place is allowed", () => {
    const running = installed({}, { ...SOLD_OUT, status: "True", reason: "Available" });
    expect(told(ask(running))).toMatch(/or its provider has one \[STAYS/);
    const only = installed({ dataResidency: ["AT"] });
    const outcome = ask(only);
    expect(told(outcome)).toMatch(/no other one is allowed \[STAYS/);
    expect(patched(asking(only, "another-place"), outcome).spec).toEqual(only.spec);
  });
});

describe("another size of a machine that is created again", () => {
  it.each(["aws", "azure"])("is one of its series at %s too", (provider) => {
    const object = installed({ provider });
    const outcome = ask(object, "another-size");
    const type = String(object.spec?.["instanceType"]);
    expect(told(outcome)).toContain(`instead of ${type}, of which ${provider} has none there now`);
    const changed = patched(asking(object, "another-size"), outcome);
    expect(changed.spec?.["instanceType"]).not.toBe(type);
    expect(placeOf(changed)).toBe(placeOf(object));
  });

  it("is none while the machine is there, where its operator cannot change it", () => {
    const object = installed({ provider: "aws" }, { ...SOLD_OUT, status: "True", reason: "Available" });
    expect(told(ask(object, "another-size"))).toMatch(/its machine keeps its size: the AWS controller never stops/);
  });
});
