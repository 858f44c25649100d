import { expect, it } from "vitest";
import { deletionState, readiness } from "../../../../src/composition/status/readiness.ts";
import { summariseReadiness } from "../../../../src/composition/status/summarise-readiness.ts";

const message = "The resource is paused and will not be actuated onto the cloud provider";
const paused = (annotations: Record<string, string>, observedGeneration = 3) => ({
  ...{ apiVersion: "compute.cnrm.cloud.google.com/v1beta1", kind: "ComputeInstance" },
  metadata: { name: "web", generation: 3, annotations },
  status: { observedGeneration, conditions: [{ type: "Ready", status: "False", reason: "Paused", message }] },
});
const mode = "cnrm.cloud.google.com/actuation-mode";

it("a resource that Config Connector has paused says by what, and is not called in creation", () => {
  const live = paused({ [mode]: "Paused" });
  expect(readiness(live)).toMatchObject({ ready: false, terminal: true, reason: "Paused" });
  const said = summariseReadiness([{ ...live, name: "web", live }], 0);
  expect(said.reason).toBe("ProviderTerminal");
  expect(said.message).toContain(`Config Connector is paused by the annotation ${mode}: remove it`);
  expect(readiness(paused({})).message).toContain("actuationMode of its ConfigConnectorContext");
});

it("also after a change that it has not seen, and while it is deleted", () => {
  expect(readiness(paused({ [mode]: "Paused" }, 2)).reason).toBe("Paused");
  const live = paused({ [mode]: "Paused" });
  const deleted = { ...live, metadata: { ...live.metadata, deletionTimestamp: "2026-11-29T00:00:00Z" } };
  expect(deletionState(deleted).message).toContain("is paused by the annotation");
});
