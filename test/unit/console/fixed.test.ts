import { expect, it } from "vitest";
import { decidedPart } from "../../../src/console/report/decided-part.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";

const PLACED = { provider: "azure", schedulingLocation: "swedencentral", schedulingTime: "2026-01-01T00:00:00Z" };

const fixed = (written: unknown, spec: object = PLACED): object =>
  decidedPart({
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec },
    metadata: {
      annotations: { "landfall.dev/decision": JSON.stringify({ id: "d", inputs: "i", placement: {}, written }) },
    },
  } as Resource).fixed;

it("a field that admission wrote is Landfall's choice, any other field the user's", () => {
  const none = { provider: false, region: false, instanceType: false, start: false };
  expect(fixed(["provider", "schedulingLocation", "schedulingTime"])).toEqual(none);
  expect(fixed(["provider", "schedulingLocation"])).toEqual({ ...none, start: true });
  expect(fixed(["schedulingTime"])).toEqual({ ...none, provider: true, region: true });
  expect(fixed([], { poolInstanceTypes: { default: "t3.large" } })).toEqual({ ...none, instanceType: true });
});
