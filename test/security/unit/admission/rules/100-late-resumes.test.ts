import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { AdmissionContext } from "../../../../../src/admission/types.ts";
import { createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import { secretEvent } from "../../../../../src/external-data/secret-event.ts";
import { readDecision } from "../../../../../src/model/decision-annotation/compact-decision.ts";
import { readWorkload } from "../../../../../src/model/read-workload.ts";
import { runRecordMetadata, type RunRecord } from "../../../../../src/model/runs/run-record.ts";
import { formatTime, HOUR_SECONDS } from "../../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { context, create, NO_OWNERS, NOW, patched, update, vm } from "../../../../support/admission.ts";
import { loadPolicy, withSchedule } from "../../../../support/load-policy.ts";
import { withBudgets } from "../../../../support/with-budgets.ts";

const policy = withSchedule(await loadPolicy(), { waitingCostPercent: 0 });
const time = (hour: number): number => NOW + hour * HOUR_SECONDS;
const at = (hour: number): string => formatTime(time(hour));
const PLACE = "gcp/europe-west3";

/** For Germany: little CO2e in these hours only. */
function contextOf(hour: number, budget: number | null, placed: AdmissionContext["placed"]): AdmissionContext {
  const values = Array.from({ length: 72 }, (_, index) => ([2, 3, 20].includes(index) ? 50 : 200));
  const zones = { DE: { issuedAt: NOW, start: NOW, stepSeconds: HOUR_SECONDS, values, band: null } };
  const forecasts = { sources: [{ name: "grid", maxAgeSeconds: 1e6, zones, problems: {}, problem: null }] };
  const known = context(withBudgets(policy, { vcpus: budget }), time(hour), NO_OWNERS);
  return { ...known, forecasts, ...(placed === undefined ? {} : { placed }) };
}

const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "3h", deadline: at(22), provider: "gcp", schedulingLocation: "europe-west3" },
  interruptible: { resumeCost: "15m" },
};

/** Decided to pause from hour 4 to 20. Its user pauses it, and removes the pause at `hour`. */
function resumed(hour: number, budget: number | null = null, placed?: AdmissionContext["placed"]) {
  const object = vm(SPEC);
  const old = patched(object, admit(create(object), contextOf(0, budget, undefined)));
  expect(readDecision(old)?.placement.segments).toHaveLength(2);
  const { "krateo.io/paused": _, ...annotations } = old.metadata.annotations ?? {};
  const next: WorkloadObject = { ...old, metadata: { ...old.metadata, annotations } };
  const outcome = admit(update(old, next), contextOf(hour, budget, placed));
  return { outcome, placement: () => readDecision(patched(next, outcome))?.placement };
}

describe("100: a run with parts that is resumed late", () => {
  it.each([2.5, 3.5, 5, 18])("is planned again from hour %d, and done before its deadline", (hour) => {
    const { start, end, segments = [] } = resumed(hour).placement() ?? {};
    expect(start).toBe(at(hour));
    expect(Date.parse(end ?? "")).toBeLessThanOrEqual(time(22) * 1000);
    for (const part of segments) expect(Date.parse(part.start)).toBeGreaterThanOrEqual(time(hour) * 1000);
  });

  it("is denied where the hours that it takes now are full", () => {
    const others = [{ place: PLACE, vcpus: 4, start: time(15), end: time(22) }];
    const { outcome } = resumed(15, 4, () => others);
    expect(outcome).toMatchObject({ allowed: false, codes: ["PLACEMENT_BUDGET"] });
  });
});

describe("100: a run whose machine comes late", () => {
  const OBJECT = vm(SPEC, { uid: "one" });
  const record = (pauses: RunRecord["plan"]["pauses"]): RunRecord => ({
    ...{ uid: "one", kind: "VmTemplate", namespace: "demo", name: "web", run: "", startedAt: time(2), end: null },
    ...{ removedAt: null, wasReady: true, machine: null, reported: null, pricePerHour: null, gramsCO2: null },
    plan: {
      ...{ duration: 3 * HOUR_SECONDS, maxLifetime: null, whenDone: "delete", keepFailed: null, grace: 0 },
      ...{ retains: false, resume: 900, ...(pauses === undefined ? {} : { pauses }) },
    },
  });
  const endWith = (run: RunRecord): number | null | undefined => {
    const data = createClusterData();
    const workload = { ...readWorkload("VmTemplate", OBJECT), place: PLACE, start: time(2), end: time(6) };
    data.apply({ type: "workload", key: "VmTemplate/demo/web", workload, of: { uid: "one", run: "" } });
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "x", ...runRecordMetadata(run) } };
    const event = secretEvent(secret, false);
    if (event !== null) data.apply(event);
    return data.workloads(time(5), "")[0]?.end;
  };

  it("counts until its work is done, and not until its decided end", () => {
    expect(endWith(record([{ from: time(3), to: time(8) }]))).toBe(time(10.25));
    expect(endWith(record(undefined))).toBe(time(6));
  });
});
