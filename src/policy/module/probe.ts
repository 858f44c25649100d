import type { PolicyInput } from "../../model/policy.ts";

/** The smallest request: a bundle must return a valid result for it, whatever the platform allows. */
export const PROBE: PolicyInput = {
  request: {
    kind: "VmTemplate",
    name: "probe",
    namespace: "default",
    cpu: 1,
    memoryGiB: 1,
    total: { vcpus: 1, memoryGiB: 1 },
    arch: "amd64",
    burstable: false,
    durationSeconds: null,
    deadline: null,
    maxWaitSeconds: null,
    waitingCostPercent: null,
    maxLatencyMs: null,
    origin: null,
    dataResidency: [],
    optimizeFor: null,
    os: null,
    pin: { provider: null, region: null, instanceType: null, zone: null, image: null, start: null },
    existingNetwork: false,
  },
  spec: { cpu: 1, memory: 1 },
  metadata: { name: "probe", namespace: "default", labels: {}, annotations: {} },
  operation: "CREATE",
  namespace: { name: "default", labels: {}, annotations: {} },
  now: 1_767_225_600,
  clock: { weekday: 3, hour: 0, month: 1, time: "2026-01-01T00:00:00Z" },
  facts: null,
};
