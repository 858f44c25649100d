import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { type Move, readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { guard } from "../../../../src/admission/guard.ts";
import type { AdmissionContext, Outcome } from "../../../../src/admission/types.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { type MoveInput, neededGain, worthMoving } from "../../../../src/admission/update/reconsider/worth-moving.ts";
import type { Decision, Placement } from "../../../../src/model/decision.ts";
import type { ForecastBook } from "../../../../src/model/places/forecast.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { HOUR_SECONDS, formatTime } from "../../../../src/model/time.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy, withSchedule } from "../../../support/load-policy.ts";

// Waiting is free here: test/unit/admission/decide/waiting-cost.test.ts has its cost.
const policy = withSchedule(await loadPolicy(), { waitingCostPercent: 0 });
const COMMAND = { [ANNOTATION.reevaluate]: "if-better" };

/** For Germany: 200 g everywhere but for the hours that are named. */
function forecast(hours: Record<number, number>): ForecastBook {
  const values = Array.from({ length: 72 }, (_, hour) => hours[hour] ?? 200);
  const zones = { DE: { issuedAt: NOW, start: NOW, stepSeconds: HOUR_SECONDS, values, band: null } };
  return { sources: [{ name: "grid", maxAgeSeconds: 48 * HOUR_SECONDS, zones, problems: {}, problem: null }] };
}

const at = (hour: number): string => formatTime(NOW + hour * HOUR_SECONDS);

const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "1h", deadline: at(48) },
  ...{ provider: "gcp", schedulingLocation: "europe-west3" },
};

const contextOf = (book: ForecastBook, nowSeconds: number, more: Partial<AdmissionContext> = {}): AdmissionContext => ({
  ...context(policy, nowSeconds),
  forecasts: book,
  ...more,
});

const annotated = (object: WorkloadObject, annotations: Record<string, string>): WorkloadObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});

/** Decided when hour 20 was the best one. */
function waiting(spec: Record<string, unknown> = SPEC, annotations: Record<string, string> = {}): WorkloadObject {
  const object = vm(spec, { annotations });
  return patched(object, admit(create(object), contextOf(forecast({ 20: 100 }), NOW)));
}

const reconsidered = (old: WorkloadObject, asked: AdmissionContext): Outcome =>
  admit(update(old, annotated(old, COMMAND)), asked);

const startOf = (object: WorkloadObject): unknown => object.spec?.["schedulingTime"];
const movesOf = (object: WorkloadObject): Move[] => readDecision(object)?.moves ?? [];

describe("landfall.dev/reevaluate: if-better, before the start", () => {
  it("moves the object when the forecast changed by more than the threshold, and records it", () => {
    const old = waiting();
    expect(startOf(old)).toBe(at(20));
    const outcome = reconsidered(old, contextOf(forecast({ 20: 100, 30: 80 }), NOW + HOUR_SECONDS));
    const object = patched(annotated(old, COMMAND), outcome);
    expect(startOf(object)).toBe(at(30));
    const place = "gcp/europe-west3";
    const move = {
      at: at(1),
      from: { place, start: at(20) },
      to: { place, start: at(30) },
      gain: 0.2,
      why: "forecast",
    };
    expect(movesOf(object)).toEqual([move]);
    expect(outcome.allowed ? outcome.warnings : []).toContain(
      `moves from ${place} at ${at(20)} to ${place} at ${at(30)}: 20.0 % less CO2e [MOVED]`,
    );
    expect(object.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
    expect(object.metadata.annotations?.[ANNOTATION.reevaluate]).toBeUndefined();
    expect(guard(update(old, object), context(policy))).toMatchObject({ allowed: true });
  });

  it("moves it earlier too, and starts it at once if now is best", () => {
    const old = waiting();
    const outcome = reconsidered(old, contextOf(forecast({ 5: 10, 20: 100 }), NOW + 5 * HOUR_SECONDS));
    const object = patched(annotated(old, COMMAND), outcome);
    expect(startOf(object)).toBe(at(5));
    expect(object.metadata.annotations?.[ANNOTATION.paused]).toBeUndefined();
  });

  it.each([
    ["less than the threshold", { 20: 100, 30: 99.5 }, /saves 0\.5 % and 1\.0 % are needed \[STAYS\]/],
    ["nothing", { 20: 100 }, /nothing is better \[STAYS\]/],
  ])("writes nothing at all where %s is gained", (_, hours, words) => {
    const old = waiting();
    const outcome = reconsidered(old, contextOf(forecast(hours), NOW + HOUR_SECONDS));
    expect(patched(annotated(old, COMMAND), outcome)).toEqual(old);
    expect(outcome).toMatchObject({ allowed: true, decision: null });
    expect(outcome.allowed ? outcome.warnings.join() : "").toMatch(words);
  });

  it("uses the platform's threshold", () => {
    const old = waiting();
    const evaluate: typeof policy.evaluate = (input) => {
      const result = policy.evaluate(input);
      return { ...result, schedule: { ...result.schedule, minimumGain: 0.3 } };
    };
    const stricter = contextOf(forecast({ 20: 100, 30: 80 }), NOW + HOUR_SECONDS, { policy: { ...policy, evaluate } });
    expect(patched(annotated(old, COMMAND), reconsidered(old, stricter))).toEqual(old);
  });

  it("moves it from a place that the rules no longer allow, regardless of the costs", () => {
    const { provider: _, schedulingLocation: _location, ...free } = SPEC;
    const old = waiting({ ...free, dataResidency: ["DE"], provider: "gcp" });
    const namespace = { name: "demo", labels: {}, annotations: { "landfall.dev/regions": "gcp/europe-west10" } };
    const asked = contextOf(forecast({ 20: 100 }), NOW + HOUR_SECONDS, { namespace });
    const object = patched(annotated(old, COMMAND), reconsidered(old, asked));
    expect(object.spec?.["schedulingLocation"]).toBe("europe-west10");
    expect(movesOf(object)).toMatchObject([{ why: expect.stringMatching(/^(POL|PLACEMENT)_/) as string, gain: null }]);
  });

  it("keeps a start and a place that the user wrote", () => {
    const old = waiting({ ...SPEC, schedulingTime: at(20) });
    const asked = contextOf(forecast({ 20: 100, 30: 10 }), NOW + HOUR_SECONDS);
    expect(patched(annotated(old, COMMAND), reconsidered(old, asked))).toEqual(old);
  });

  it("keeps its decision if no place would be found now", () => {
    const old = waiting();
    const namespace = { name: "demo", labels: {}, annotations: { "landfall.dev/providers": "azure" } };
    const outcome = reconsidered(old, contextOf(forecast({ 30: 10 }), NOW + HOUR_SECONDS, { namespace }));
    expect(patched(annotated(old, COMMAND), outcome)).toEqual(old);
  });

  it("is a command, not state: the annotation's earlier value is restored", () => {
    const old = waiting(SPEC, { [ANNOTATION.reevaluate]: "3" });
    const asked = contextOf(forecast({ 20: 100, 30: 80 }), NOW + HOUR_SECONDS);
    const object = patched(annotated(old, COMMAND), reconsidered(old, asked));
    expect(object.metadata.annotations?.[ANNOTATION.reevaluate]).toBe("3");
    expect(guard(update(old, object), context(policy))).toMatchObject({ allowed: true });
    const made = vm(SPEC, { annotations: COMMAND });
    const decided = patched(made, admit(create(made), asked));
    expect(decided.metadata.annotations?.[ANNOTATION.reevaluate]).toBeUndefined();
  });
});

describe("an API server that asks again because another webhook changed the object", () => {
  it("gets the same answer: the new start does not count as the user's", () => {
    const old = waiting();
    const asked = contextOf(forecast({ 20: 100, 30: 80 }), NOW + HOUR_SECONDS);
    const moved = patched(annotated(old, COMMAND), reconsidered(old, asked));
    const labelled = { ...moved, metadata: { ...moved.metadata, labels: { team: "a" } } };
    expect(admit(update(old, labelled), asked)).toEqual({ allowed: true, patch: [], warnings: [], decision: null });
    const hurried = annotated(old, { [ANNOTATION.startNow]: "urgent" });
    const started = patched(hurried, admit(update(old, hurried), asked));
    expect(admit(update(old, started), { ...asked, nowSeconds: asked.nowSeconds + 2 })).toMatchObject({
      allowed: true,
      patch: [],
    });
    expect(guard(update(old, started), context(policy))).toMatchObject({ allowed: true });
  });

  it("does not restore an outdated decision", () => {
    const old = waiting();
    const asked = contextOf(forecast({ 20: 100, 30: 80 }), NOW + HOUR_SECONDS);
    const moved = patched(annotated(old, COMMAND), reconsidered(old, asked));
    const later = { ...contextOf(forecast({ 20: 100 }), NOW + 2 * HOUR_SECONDS) };
    const again = patched(moved, admit(update(old, moved), later));
    expect(again.metadata.annotations?.[ANNOTATION.decision]).not.toBe(
      moved.metadata.annotations?.[ANNOTATION.decision],
    );
  });
});

describe("landfall.dev/reevaluate: if-better, once it has started", () => {
  it.each([
    ["runs", (old: WorkloadObject) => lifted(old), NOW + 25 * HOUR_SECONDS],
    ["runs before its time", (old: WorkloadObject) => lifted(old), NOW + HOUR_SECONDS],
    ["is due, but its pause is not lifted yet", (old: WorkloadObject) => old, NOW + 20 * HOUR_SECONDS],
  ])("never moves an object that %s", (_, make, nowSeconds) => {
    const old = make(waiting());
    const outcome = reconsidered(old, contextOf(forecast({ 20: 100, 30: 1, 40: 1 }), nowSeconds));
    expect(patched(annotated(old, COMMAND), outcome)).toEqual(old);
    expect(outcome.allowed ? outcome.warnings.join() : "").toMatch(/its start has come.*\[STAYS\]/);
  });
});

function lifted(object: WorkloadObject): WorkloadObject {
  const { [ANNOTATION.paused]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

describe("alternating forecasts", () => {
  /** How often the object is moved, asked every quarter of an hour for ten hours. */
  function movesUnder(first: Record<number, number>, second: Record<number, number>): number {
    let object = waiting();
    let moves = 0;
    for (let round = 1; round <= 40; round++) {
      const asked = contextOf(forecast(round % 2 === 1 ? first : second), NOW + round * 900);
      const next = patched(annotated(object, COMMAND), reconsidered(object, asked));
      if (startOf(next) !== startOf(object)) moves += 1;
      object = next;
    }
    expect(movesOf(object).length).toBeLessThanOrEqual(7);
    return moves;
  }

  it.each([
    ["by 0.8 %", { 20: 100, 30: 99.2 }, { 20: 99.2, 30: 100 }, 0],
    ["by 8 %", { 20: 100, 30: 92 }, { 20: 92, 30: 100 }, 4],
    ["by 30 %", { 20: 100, 30: 70 }, { 20: 70, 30: 100 }, 5],
    ["by 90 %", { 20: 100, 30: 10 }, { 20: 10, 30: 100 }, 7],
  ])("%s come to rest", (_, first, second, moves) => {
    expect(movesUnder(first, second)).toBe(moves);
  });
});

describe("the minimum gain of a move", () => {
  const moved = (hoursAgo: number): Move => {
    const where = { place: "gcp/europe-west3" as const, start: at(20) };
    return { at: at(-hoursAgo), from: where, to: where, gain: 0.1, why: "forecast" };
  };

  it.each<[string, Move[], number]>([
    ["the setting at first", [], 0.05],
    ["twice that after a move", [moved(1)], 0.1],
    ["eight times that after three", [moved(1), moved(5), moved(23)], 0.4],
    ["the setting again a day later", [moved(24), moved(30)], 0.05],
  ])("is %s", (_, moves, expected) => {
    expect(neededGain(0.05, moves, NOW)).toBeCloseTo(expected, 10);
  });

  const placement = (start: number, gramsCO2: number | null): Placement =>
    ({ provider: "gcp", region: "europe-west3", start: at(start), gramsCO2 }) as Placement;

  const verdict = (before: number | null, after: number | null, minimumGain = 0.05): string | null => {
    const here = { placement: placement(20, before), denials: [] } as unknown as Decision;
    const input: MoveInput = { here, again: placement(30, after), minimumGain, moves: [], nowSeconds: NOW };
    return worthMoving(input).move;
  };

  it.each<[number | null, number | null, number, string | null]>([
    [100, 95.1, 0.05, null],
    [100, 95, 0.05, "forecast"],
    [100, 105, 0.05, null],
    [100, 100, 0, null],
    [100, 99.9, 0, "forecast"],
    [0, 0, 0.05, null],
    [null, 10, 0.05, null],
    [100, null, 0.05, null],
  ])("from %s g to %s g at a threshold of %s: %s", (before, after, minimumGain, expected) => {
    expect(verdict(before, after, minimumGain)).toBe(expected);
  });
});
