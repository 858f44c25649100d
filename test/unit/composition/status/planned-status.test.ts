import { expect, it } from "vitest";
import { plannedStatus } from "../../../../src/composition/status/planned-status.ts";

const decided = (placement: object) => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
  metadata: {
    name: "a",
    annotations: { "landfall.dev/decision": JSON.stringify({ inputs: "", written: [], placement }) },
  },
});

it.each([
  [
    { start: "2026-11-22T03:00:00Z", end: "2026-11-22T06:00:00Z", pricePerHour: 0.28, gramsCO2: 2.44 },
    { starts: "2026-11-22T03:00:00Z", ends: "2026-11-22T06:00:00Z", pricePerHour: "0.2800", gramsCO2: "2.4" },
  ],
  [
    { end: null, pricePerHour: 12, gramsCO2: 123.4 },
    { starts: "-", ends: "-", pricePerHour: "12.0000", gramsCO2: "123/h" },
  ],
  [
    { end: null, pricePerHour: null, gramsCO2: null },
    { starts: "-", ends: "-", pricePerHour: "-", gramsCO2: "-" },
  ],
  // An owner can write anything into an annotation.
  [
    { provider: "gcp", region: "europe-west1" },
    { starts: "-", ends: "-", pricePerHour: "-", gramsCO2: "-" },
  ],
  [
    { end: 5, pricePerHour: "x", gramsCO2: {} },
    { starts: "-", ends: "-", pricePerHour: "-", gramsCO2: "-" },
  ],
])("of %j is %j", (placement, planned) => {
  expect(plannedStatus(decided(placement))).toEqual({ planned });
});

it("has the times of a run that has begun: another run of the object is not decided again", () => {
  const object = decided({ start: "2026-11-22T03:00:00Z", end: "2026-11-22T06:00:00Z" });
  const run = { startsAt: "2026-11-23T09:00:00Z", endsAt: "2026-11-23T12:00:00Z" };
  expect(plannedStatus(object, run).planned).toMatchObject({ starts: run.startsAt, ends: run.endsAt });
  const open = plannedStatus(object, { startsAt: run.startsAt, endsAt: null }).planned;
  expect(open).toMatchObject({ starts: run.startsAt, ends: "2026-11-22T06:00:00Z" });
});

it("is empty without a decision", () => {
  expect(plannedStatus({ apiVersion: "a/v1", kind: "VmTemplate", metadata: { name: "a" } })).toEqual({});
});
