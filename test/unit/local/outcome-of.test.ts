import { expect, test } from "vitest";
import { denialOutcome, outcomeOf } from "../../../src/local/examples/outcome-of.ts";
import type { Composition } from "../../../src/local/examples/outcome-of.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");

function endedStatus(left: number): Composition["status"] {
  const completed = { type: "Completed", status: "True", reason: "DurationOver", message: "" } as const;
  const entry = { apiVersion: "v1", resource: "machines", name: "web", namespace: "demo", path: "/x" };
  return {
    conditions: [{ ...completed, lastTransitionTime: "2026-11-20T11:59:00Z" }],
    managed: Array.from({ length: left }, () => entry),
  };
}

function composition(given: {
  paused?: boolean;
  start?: string;
  ready?: [status: "True" | "False" | "Unknown", reason: string, message: string];
  completed?: { left: number };
}): Composition {
  const [status, reason, message] = given.ready ?? ["Unknown", "", ""];
  const condition = { type: "Ready", status, reason, message, lastTransitionTime: "2026-11-20T11:59:00Z" };
  return {
    apiVersion: "composition.krateo.io/v0-1-0",
    kind: "VmTemplate",
    metadata: { name: "web", annotations: given.paused === true ? { "krateo.io/paused": "true" } : {} },
    spec: given.start === undefined ? {} : { schedulingTime: given.start },
    status: {
      ...(given.ready === undefined ? {} : { conditions: [condition] }),
      ...(given.completed === undefined ? {} : endedStatus(given.completed.left)),
    },
  };
}

test.for<[name: string, object: Composition, expected: string[], outcome: string | null]>([
  ["nothing said yet", composition({}), ["Ready"], null],
  ["ready", composition({ ready: ["True", "Available", ""] }), ["Ready"], "Ready"],
  ["still creating", composition({ ready: ["False", "Creating", "3 of 7"] }), ["Ready"], null],
  ["paused for later", composition({ paused: true, start: "2026-11-20T18:00:00Z" }), ["Scheduled"], "Scheduled"],
  ["paused, but due", composition({ paused: true, start: "2026-11-20T12:00:00Z" }), ["Scheduled"], null],
  [
    "given up for the expected reason",
    composition({ ready: ["False", "ProviderTerminal", "VM web: QuotaExceeded: 10 vCPU"] }),
    ["Failed: QuotaExceeded"],
    "Failed: QuotaExceeded",
  ],
  [
    "a quota that is used up, which its operator tries again",
    composition({ ready: ["False", "ProviderCapacity", "VM web: QuotaExceeded: 10 vCPU"] }),
    ["Failed: QuotaExceeded"],
    "Failed: QuotaExceeded",
  ],
  [
    "given up for another reason",
    composition({ ready: ["False", "ProviderTerminal", "VM web: ImageNotFound"] }),
    ["Failed: QuotaExceeded"],
    "Failed: ProviderTerminal",
  ],
  [
    "out of capacity, but is to be deleted",
    composition({ ready: ["False", "ProviderCapacity", ""] }),
    ["Deleted"],
    null,
  ],
  [
    "refused, but is to be deleted",
    composition({ ready: ["False", "ProviderTerminal", ""] }),
    ["Deleted"],
    "Failed: ProviderTerminal",
  ],
  ["ready, but is to be deleted", composition({ ready: ["True", "Available", ""] }), ["Deleted"], null],
  ["completed, with resources left", composition({ completed: { left: 2 } }), ["Deleted"], null],
  ["completed, with nothing left", composition({ completed: { left: 0 } }), ["Deleted"], "Deleted"],
  ["completed, and stopped", composition({ completed: { left: 2 } }), ["Completed"], "Completed"],
])("an object that is %s", ([, object, expected, outcome]) => {
  expect(outcomeOf(object, expected, NOW)).toBe(outcome);
});

test.for([
  [
    403,
    'admission webhook "placement.landfall.dev" denied the request: no region can run this VM\n  [PLACEMENT_NONE, decision 7f3c9a]',
    "Denied: PLACEMENT_NONE",
  ],
  [400, "spec.memory: must be <= 100000000; correct spec.memory [ADM_SCHEMA]", "Denied: ADM_SCHEMA"],
  [422, "VmTemplate.composition.krateo.io is invalid", "Refused: HTTP 422"],
] as const)("an answer %s %j is %s", ([status, message, outcome]) => {
  expect(denialOutcome(status, message)).toBe(outcome);
});
