import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { AdmissionContext } from "../../../../src/admission/types.ts";
import { explainObjects } from "../../../../src/cli/objects/explain-objects.ts";
import type { Decision } from "../../../../src/model/decision.ts";
import type { ForecastBook } from "../../../../src/model/places/forecast.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { HOUR_SECONDS, formatTime } from "../../../../src/model/time.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy, withSchedule } from "../../../support/load-policy.ts";

// Waiting is free here: test/unit/admission/decide/waiting-cost.test.ts has its cost.
const policy = withSchedule(await loadPolicy(), { waitingCostPercent: 0 });
const LENGTH = 72;
const at = (hour: number): string => formatTime(NOW + hour * HOUR_SECONDS);

/** For Germany: 200 g, or what is named by hour, and an error that grows by `growth` g an hour to either side. */
function book(hours: Record<number, number>, growth: number | null, issued = NOW): ForecastBook {
  const values = Array.from({ length: LENGTH }, (_, hour) => hours[hour] ?? 200);
  const wide = (sign: number): number[] =>
    values.map((value, hour) => Math.max(0, value + sign * hour * (growth ?? 0)));
  const band = growth === null ? null : { low: wide(-1), high: wide(1) };
  const zones = { DE: { issuedAt: issued, start: NOW, stepSeconds: HOUR_SECONDS, values, band } };
  return { sources: [{ name: "grid", maxAgeSeconds: 48 * HOUR_SECONDS, zones, problems: {}, problem: null }] };
}

const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "1h", deadline: at(49) },
  ...{ provider: "gcp", schedulingLocation: "europe-west3" },
};

const asked = (forecasts: ForecastBook, more: Partial<AdmissionContext> = {}): AdmissionContext => ({
  ...context(policy),
  ...more,
  forecasts,
});

/** An object without the fields that are undefined. */
const without = (spec: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));

function decided(spec: object, forecasts: ForecastBook): Decision | null {
  const outcome = admit(create(vm(without({ ...SPEC, ...spec }))), asked(forecasts));
  return outcome.decision;
}

const startOf = (decision: Decision | null): string | undefined => decision?.placement?.start;
/** Hour 6 is the best by 2 %, hour 40 comes next and is far less certain. */
const HOURS = { 6: 100, 40: 102 };

describe("an object that is decided again until its start", () => {
  it("takes a later start that is as good as the best and less certain, and reports the option value", () => {
    const decision = decided({}, book(HOURS, 1));
    expect(startOf(decision)).toBe(at(40));
    const grams = decision?.placement?.gramsCO2 ?? 0;
    // 0.35 × √(48 h of slack / 168 h) × 0.85 × 40 g / 1.645 of 102 g.
    const share = (0.35 * Math.sqrt(48 / 168) * 0.85 * 40) / 1.645 / 102;
    expect(decision?.placement?.carbon?.gramsForWaiting).toBeCloseTo(grams * share, 1);
  });

  it("is decided by the webhook as by explain", () => {
    const [explained] = explainObjects(
      { workloads: [{ kind: "VmTemplate", object: vm(SPEC) }], namespaces: new Map() } as never,
      { policy, nowSeconds: NOW, origin: null, forecasts: book(HOURS, 1) },
    );
    expect(explained).toEqual(decided({}, book(HOURS, 1)));
  });

  it.each<[string, object, ForecastBook, string]>([
    ["its forecast has no error band", {}, book(HOURS, null), at(6)],
    ["its forecast is certain", {}, book(HOURS, 0), at(6)],
    ["its user fixed the start", { schedulingTime: at(6) }, book(HOURS, 1), at(6)],
    ["it has no deadline", { deadline: undefined }, book(HOURS, 1), at(0)],
    ["it has no slack", { deadline: at(1.1) }, book(HOURS, 1), at(0)],
  ])("is not, where %s: then the least forecast counts alone", (_, spec, forecasts, start) => {
    const decision = decided(spec, forecasts);
    expect(startOf(decision)).toBe(start);
    expect(decision?.placement?.carbon).not.toHaveProperty("gramsForWaiting");
  });

  it("has no option value if the platform disables later decisions", () => {
    const never = withSchedule(policy, { decidedAgain: false });
    const outcome = admit(create(vm(SPEC)), asked(book(HOURS, 1), { policy: never }));
    expect(startOf(outcome.decision)).toBe(at(6));
  });

  it("never counts a start as free, however wide its band is", () => {
    const decision = decided({}, book({ 6: 100, 40: 102 }, 1000));
    const { gramsCO2, carbon } = decision?.placement ?? { gramsCO2: 0, carbon: null };
    expect(carbon?.gramsForWaiting).toBeLessThan((gramsCO2 ?? 0) / 2);
  });
});

describe("landfall.dev/reevaluate: if-better with forecasts that have an error band", () => {
  const COMMAND = { [ANNOTATION.reevaluate]: "if-better" };
  const commanded = (object: ReturnType<typeof vm>): ReturnType<typeof vm> => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...COMMAND } },
  });
  const old = patched(vm(SPEC), admit(create(vm(SPEC)), asked(book(HOURS, 1))));

  it("stays while the uncertainty is unchanged: it does not return to the certain hour", () => {
    const outcome = admit(update(old, commanded(old)), asked(book(HOURS, 1)));
    expect(patched(commanded(old), outcome)).toEqual(old);
  });

  it("returns to the better hour when the forecast has become certain, and reports the saving", () => {
    const outcome = admit(update(old, commanded(old)), asked(book(HOURS, 0), { nowSeconds: NOW + HOUR_SECONDS }));
    const object = patched(commanded(old), outcome);
    expect(object.spec?.["schedulingTime"]).toBe(at(6));
    const moves = readDecision(object)?.moves;
    expect(moves).toMatchObject([{ gain: 0.0195, why: "forecast", to: { start: at(6) } }]);
  });

  it("moves to a later hour with a worse forecast if the option value exceeds the difference", () => {
    const certain = patched(vm(SPEC), admit(create(vm(SPEC)), asked(book(HOURS, 0))));
    expect(certain.spec?.["schedulingTime"]).toBe(at(6));
    const outcome = admit(
      update(certain, commanded(certain)),
      asked(book(HOURS, 2), { nowSeconds: NOW + HOUR_SECONDS }),
    );
    const object = patched(commanded(certain), outcome);
    expect(object.spec?.["schedulingTime"]).toBe(at(40));
    expect(outcome.allowed ? outcome.warnings.join() : "").toMatch(/less CO2e, waiting counted \[MOVED\]/);
    const [move] = readDecision(object)?.moves ?? [];
    expect(move?.why).toBe("forecast, waiting counted");
    expect(move?.gain).toBeGreaterThan(0.01);
  });

  it("uses only the forecast if the user wants an immediate start", () => {
    const hurried = {
      ...old,
      metadata: { ...old.metadata, annotations: { ...old.metadata.annotations, [ANNOTATION.startNow]: "urgent" } },
    };
    const outcome = admit(update(old, hurried), asked(book(HOURS, 1), { nowSeconds: NOW + HOUR_SECONDS }));
    expect(startOf(outcome.decision)).toBe(at(1));
    expect(outcome.decision?.placement?.carbon).not.toHaveProperty("gramsForWaiting");
  });
});
