import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime, HOUR_SECONDS } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { askingZone, context, create, INSTALLED, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "12h", deadline: formatTime(NOW + 96 * HOUR_SECONDS), waitingCostPercent: 0 },
  ...{ provider: "gcp", schedulingLocation: "europe-west1", interruptible: { by: "recreate" } },
};
const SOLD_OUT = "ComputeInstance web: ZONE_RESOURCE_POOL_EXHAUSTED: not enough resources";
const NOT_SOLD =
  "Instance web: Unsupported: Your requested instance type (m7i.large) is not supported in your requested Availability Zone (us-east-2b).";
const contextAt = (hour: number) => context(policy, NOW + hour * HOUR_SECONDS, INSTALLED);

/** As it is stored once it is installed, with what its provider says. */
function installed(spec: Record<string, unknown> = {}, message = SOLD_OUT): WorkloadObject {
  const object = vm({ ...SPEC, ...spec }, { uid: "u1" });
  const outcome = admit(create(object), contextAt(0));
  if (!outcome.allowed) throw new TypeError(outcome.message);
  const stored = patched(object, outcome);
  const { [ANNOTATION.paused]: _paused, ...annotations } = stored.metadata.annotations ?? {};
  return saying({ ...stored, metadata: { ...stored.metadata, annotations } }, message);
}

function saying(object: WorkloadObject, message: string): WorkloadObject {
  const ready = { type: "Ready", status: "False", reason: "ProviderCapacity", message };
  return { ...object, status: { managed: [{}], conditions: [ready] } };
}

const asking = (object: WorkloadObject, hour = 30): WorkloadObject => askingZone(object, NOW + hour * HOUR_SECONDS);
const ask = (object: WorkloadObject, hour = 30): Outcome =>
  admit(update(object, asking(object, hour)), contextAt(hour));
const told = (outcome: Outcome): string => (outcome.allowed ? outcome.warnings.join("\n") : outcome.message);
const after = (object: WorkloadObject, hour = 30): WorkloadObject => patched(asking(object, hour), ask(object, hour));
const zoneOf = ({ spec }: WorkloadObject): unknown => spec?.["zone"];

describe("another zone of a machine that its provider has none of", () => {
  it("is the next one of its region, with the same type, price and pauses", () => {
    const object = installed({ schedulingLocation: "europe-southwest1" });
    expect(zoneOf(object)).toBe("europe-southwest1-b");
    expect(told(ask(object))).toMatch(
      /^europe-southwest1-c instead of europe-southwest1-b, where gcp has no e2-standard-2 for it now \[MOVED\]$/m,
    );
    const moved = after(object);
    expect(moved.spec).toEqual({ ...object.spec, zone: "europe-southwest1-c" });
    const [before, now] = [object, moved].map((one) => readDecision(one));
    expect(before?.placement.segments?.length).toBeGreaterThan(1);
    expect(now?.placement.segments).toEqual(before?.placement.segments);
    expect(now?.placement.pricePerHour).toBe(before?.placement.pricePerHour);
    expect(now?.placement.zone).toBe("europe-southwest1-c");
    expect(now?.moves).toMatchObject([{ why: "no capacity: europe-southwest1-b", gain: null }]);
    expect(moved.metadata.annotations).not.toHaveProperty(ANNOTATION.reevaluate);
    // The machine keeps it: what its user applies again changes nothing.
    expect(admit(update(moved, moved), contextAt(31))).toMatchObject({ allowed: true, patch: [] });
  });

  it("is each zone once, and the first one again a day later", () => {
    const second = after(installed());
    const third = after(second);
    expect([zoneOf(second), zoneOf(third)]).toEqual(["europe-west1-c", "europe-west1-d"]);
    expect(told(ask(third))).toMatch(/keeps its zone: gcp\/europe-west1 has no other one left \[STAYS\]/);
    expect(zoneOf(after(third))).toBe("europe-west1-d");
    expect(zoneOf(after(third, 30 + 25))).toBe("europe-west1-b");
  });

  it("is one that has its type", () => {
    const first = installed({ schedulingLocation: "us-west2", instanceType: "c2d-highcpu-2" });
    const second = after(first);
    expect([zoneOf(first), zoneOf(second)]).toEqual(["us-west2-a", "us-west2-c"]);
    expect(told(ask(second))).toMatch(/gcp\/us-west2 has no other one left \[STAYS\]/);
  });

  it("is one that had no machine for a time rather than one that never has", () => {
    const first = installed({ provider: "aws", schedulingLocation: "us-east-2" });
    expect(zoneOf(first)).toBe("us-east-2a");
    const second = saying(after(first), NOT_SOLD);
    const third = saying(after(second), NOT_SOLD.replace("2b", "2c"));
    const back = after(third);
    expect([second, third, back].map(zoneOf)).toEqual(["us-east-2b", "us-east-2c", "us-east-2a"]);
    expect(readDecision(back)?.moves?.map(({ why }) => why)).toEqual([
      "no capacity: us-east-2a",
      "not offered: us-east-2b",
      "not offered: us-east-2c",
    ]);
    expect(zoneOf(after(saying(back, SOLD_OUT)))).toBe("us-east-2a");
  });

  const disk = { name: "d", sizeGiB: 9, deletionPolicy: "retain" };
  const existing = { network: "vpc-0a1b2c3d", subnet: "subnet-0a1b2c3d", securityGroups: ["sg-0a1b2c3d"] };
  it.each<[string, Record<string, unknown>, RegExp]>([
    ["its user fixed it", { zone: "europe-west1-c" }, /its user fixed it \[STAYS\]/],
    ["its provider chooses it", { provider: "azure", schedulingLocation: "westeurope" }, /its provider chooses it/],
    ["a data disk is in it", { disks: [disk] }, /it has data disks there/],
    [
      "its network of AWS is in it",
      { provider: "aws", schedulingLocation: "us-east-2", network: { existing } },
      /its network is there/,
    ],
  ])("is none if %s", (_what, spec, text) => {
    const object = installed(spec);
    expect(told(ask(object))).toMatch(text);
    expect(after(object).spec).toEqual(object.spec);
  });

  it("is decided where only the network of Google Cloud was there before, which is in the whole region", () => {
    const network = { existing: { network: "shared", subnet: "shared-a" } };
    const object = installed({ network });
    expect(zoneOf(after(object))).toBe("europe-west1-c");
  });

  it("is decided for its controller alone, who signs for this zone, object and time", () => {
    const object = installed();
    const wish = (value: string): WorkloadObject => {
      const annotations = { ...object.metadata.annotations, [ANNOTATION.reevaluate]: value };
      return { ...object, metadata: { ...object.metadata, annotations } };
    };
    const signed = asking(object).metadata.annotations?.[ANNOTATION.reevaluate] ?? "";
    const other = { ...object, metadata: { ...object.metadata, uid: "u2" } };
    const forged = [
      ...["another-zone", signed.replace("another-zone", "another-size"), signed.slice(0, -1)],
      asking(other).metadata.annotations?.[ANNOTATION.reevaluate] ?? "",
    ];
    for (const value of forged) {
      const outcome = admit(update(object, wish(value)), contextAt(30));
      expect(patched(wish(value), outcome).spec).toEqual(object.spec);
    }
    expect(told(admit(update(object, wish("another-zone")), contextAt(30)))).toMatch(
      /only its controller asks for another one, when its provider has no machine there \[STAYS\]/,
    );
    // Once it is moved, the same signature says nothing of the new zone.
    const moved = after(object);
    const again = {
      ...moved,
      metadata: { ...moved.metadata, annotations: { ...moved.metadata.annotations, [ANNOTATION.reevaluate]: signed } },
    };
    expect(zoneOf(patched(again, admit(update(moved, again), contextAt(30))))).toBe("europe-west1-c");
    expect(told(admit(update(object, wish(signed)), contextAt(31)))).toMatch(/only its controller/);
  });
});
