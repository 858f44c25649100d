import { expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { context, create, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const annotations = { "landfall.dev/max-latency": "20", "landfall.dev/origin": "azure/italynorth" };
const namespace = { name: "team", labels: {}, annotations };

/** The machine's answer in a namespace with a limit of 20 ms from Italy. */
const asked = (spec: object) => admit(create(vm({ cpu: 2, memory: 4, ...spec })), { ...context(policy), namespace });

it("24: a namespace's limit of the round trip holds for an object that asks for more", () => {
  const loose = asked({ maxLatency: 10_000 });
  const strict = asked({});
  if (!loose.allowed || !strict.allowed) throw new TypeError("it was denied");
  expect(loose.decision?.candidates.eligible).toBe(strict.decision?.candidates.eligible);
  expect(asked({ maxLatency: 10_000, provider: "azure", schedulingLocation: "eastus" })).toMatchObject({
    ...{ allowed: false, codes: ["POL_LATENCY"] },
  });
});

it("24: an object cannot move the place that the namespace's limit is measured from", () => {
  const moved = asked({ origin: "azure/eastus", maxLatency: 10_000, provider: "azure", schedulingLocation: "eastus" });
  expect(moved).toMatchObject({ allowed: false, codes: ["POL_LATENCY"] });
  // Its own limit, from its own origin, holds as well.
  expect(asked({ origin: "azure/eastus", maxLatency: 20 })).toMatchObject({ allowed: false });
});
