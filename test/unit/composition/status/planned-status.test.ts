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
    { end: "2026-11-22T06:00:00Z", pricePerHour: 0.28, gramsCO2: 2.44 },
    { ends: "2026-11-22T06:00:00Z", pricePerHour: "0.2800", gramsCO2: "2.4" },
  ],
  [
    { end: null, pricePerHour: 12, gramsCO2: 123.4 },
    { ends: "-", pricePerHour: "12.0000", gramsCO2: "123/h" },
  ],
  [
    { end: null, pricePerHour: null, gramsCO2: null },
    { ends: "-", pricePerHour: "-", gramsCO2: "-" },
  ],
  // An owner can write anything into an annotation.
  [
    { provider: "gcp", region: "europe-west1" },
    { ends: "-", pricePerHour: "-", gramsCO2: "-" },
  ],
  [
    { end: 5, pricePerHour: "x", gramsCO2: {} },
    { ends: "-", pricePerHour: "-", gramsCO2: "-" },
  ],
])("of %j is %j", (placement, planned) => {
  expect(plannedStatus(decided(placement))).toEqual({ planned });
});

it("is empty without a decision", () => {
  expect(plannedStatus({ apiVersion: "a/v1", kind: "VmTemplate", metadata: { name: "a" } })).toEqual({});
});
