import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { AdmissionContext, Outcome } from "../../../../../src/admission/types.ts";
import { formatTime, HOUR_SECONDS } from "../../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import type { LoadedBundle } from "../../../../../src/policy/loaded-bundle.ts";
import { context, create, NO_OWNERS, NOW, patched, update, vm } from "../../../../support/admission.ts";
import { loadPolicy, withSchedule } from "../../../../support/load-policy.ts";
import { withBudgets } from "../../../../support/with-budgets.ts";

const policy = withSchedule(await loadPolicy(), { waitingCostPercent: 0 });
const time = (hour: number): number => NOW + hour * HOUR_SECONDS;
const PLACE = "gcp/europe-west3";
const full = () => [{ place: PLACE, vcpus: 4, start: time(1), end: time(60) }];

const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "3h", deadline: formatTime(time(22)) },
  ...{ provider: "gcp", schedulingLocation: "europe-west3", interruptible: { resumeCost: "15m" } },
};

/** For Germany: little CO2e in these hours only. */
function at(hour: number, used: LoadedBundle, placed?: AdmissionContext["placed"]): AdmissionContext {
  const values = Array.from({ length: 72 }, (_, index) => ([2, 3, 20].includes(index) ? 50 : 200));
  const zones = { DE: { issuedAt: NOW, start: NOW, stepSeconds: HOUR_SECONDS, values, band: null } };
  const forecasts = { sources: [{ name: "grid", maxAgeSeconds: 1e6, zones, problems: {}, problem: null }] };
  const known = context(withBudgets(used, { vcpus: 4 }), time(hour), NO_OWNERS);
  return { ...known, forecasts, ...(placed === undefined ? {} : { placed }) };
}

/** As `policy`, with a rule that denies everything by now. */
const stricter: LoadedBundle = {
  ...policy,
  evaluate: (input) => {
    const result = policy.evaluate(input);
    const entry = { code: "POL_NEW", message: "a rule of today", field: null, actual: null, allowed: null };
    return { ...result, denials: [entry], candidates: [] };
  },
};

/** A run that its user paused before it began, and whose pause is removed at `hour`. */
function resumed(
  hour: number,
  { spec = {}, used = policy, placed }: { spec?: object; used?: LoadedBundle; placed?: typeof full },
): Outcome {
  const object = vm({ ...SPEC, ...spec });
  const old = patched(object, admit(create(object), at(0, policy)));
  const { "krateo.io/paused": _, ...annotations } = old.metadata.annotations ?? {};
  const next: WorkloadObject = { ...old, metadata: { ...old.metadata, annotations } };
  return admit(update(old, next), at(hour, used, placed));
}

describe("163: a run whose pause is removed late", () => {
  const continuous = { interruptible: undefined };
  it.each([
    ["its deadline leaves too little time by then", 19.5, {}],
    ["its deadline is near", 21, {}],
    ["its deadline has passed", 23, {}],
    ["its deadline is long ago", 30, {}],
    ["a rule of today denies it", 15, { used: stricter }],
    ["a rule of today denies it, and it cannot pause", 15, { used: stricter, spec: continuous }],
    ["a rule of today denies it after its deadline", 23, { used: stricter, spec: continuous }],
  ])("does not begin in a full place, also if %s", (_, hour, more) => {
    expect(resumed(hour, { ...more, placed: full })).toMatchObject({ allowed: false, codes: ["PLACEMENT_BUDGET"] });
  });

  it.each([
    ["its deadline has passed", 23, {}],
    ["a rule of today denies it", 15, { used: stricter }],
  ])("begins where its place has capacity, if %s", (_, hour, more) => {
    expect(resumed(hour, more)).toMatchObject({ allowed: true });
    const others = () => [{ place: PLACE, vcpus: 2, start: time(1), end: time(60) }];
    expect(resumed(hour, { ...more, placed: others })).toMatchObject({ allowed: true });
  });
});
