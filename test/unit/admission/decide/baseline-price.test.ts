import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Placement } from "../../../../src/model/decision.ts";
import { context, create, NOW, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { formatTime, HOUR_SECONDS } from "../../../../src/model/time.ts";

const policy = await loadPolicy();
const ORIGIN = { provider: "azure", schedulingLocation: "italynorth" };
const SPEC = { cpu: 2, memory: 4, duration: "3h", origin: "azure/italynorth" };

function placed(spec: object): Placement {
  const placement = admit(create(vm({ ...SPEC, ...spec })), context(policy)).decision?.placement;
  if (placement == null) throw new Error("it has no place");
  return placement;
}

describe("the price of an immediate start", () => {
  it("at the origin is that of the machine which the origin offers", () => {
    const there = placed(ORIGIN);
    const elsewhere = placed({ provider: undefined, dataResidency: ["EU"] });
    expect(elsewhere.instanceType).not.toBe(there.instanceType);
    expect(elsewhere.baselineUsd).toBeCloseTo(3 * (there.pricePerHour ?? 0), 4);
    expect(there.baselineUsd).toBe(elsewhere.baselineUsd);
  });

  it("at the origin is of one hour without a duration", () => {
    expect(placed({ duration: undefined }).baselineUsd).toBeCloseTo(placed(ORIGIN).pricePerHour ?? 0, 4);
  });

  it("at the origin is not known if the rules leave the origin out", () => {
    expect(placed({ provider: "gcp" })).not.toHaveProperty("baselineUsd");
  });

  it("in the best place is told with its place, for a start that is later", () => {
    const start = { schedulingTime: formatTime(NOW + 6 * HOUR_SECONDS) };
    const later = placed({ ...start, provider: "azure" });
    const [provider = "", schedulingLocation = ""] = (later.now?.place ?? "").split("/");
    const there = placed({ provider, schedulingLocation });
    expect(later.now?.usd).toBeCloseTo(3 * (there.pricePerHour ?? 0), 4);
    expect(there).not.toHaveProperty("now");
  });
});
