import { beforeAll, describe, expect, it } from "vitest";
import { decide, decideAlone } from "../../../../src/admission/decide/decide.ts";
import type { DecisionRequest } from "../../../../src/admission/types.ts";
import type { Advice, SchedulerRequest } from "../../../../src/model/advice.ts";
import type { Decision } from "../../../../src/model/decision.ts";
import type { PlacedWorkload } from "../../../../src/model/places/load.ts";
import type { PolicyInput } from "../../../../src/model/policy.ts";
import { HOUR_SECONDS, formatTime } from "../../../../src/model/time.ts";
import type { LoadedBundle } from "../../../../src/policy/loaded-bundle.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

let policy: LoadedBundle;
beforeAll(async () => {
  policy = await loadPolicy();
});

const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "PT1H30M", dataResidency: ["FR", "IT"] },
  deadline: formatTime(NOW + 24 * HOUR_SECONDS),
};

/** The policy's own request about the object that is asked about. */
function inputOf(bundle: LoadedBundle): PolicyInput {
  let seen: PolicyInput | undefined;
  const watched: LoadedBundle = {
    ...bundle,
    evaluate: (input) => {
      seen ??= input;
      return bundle.evaluate(input);
    },
  };
  decideWith(null, {}, { policy: watched });
  if (seen === undefined) throw new TypeError("the policy was not asked");
  return seen;
}

function decideWith(
  advice: Advice | null,
  spec: object = {},
  more: Partial<DecisionRequest> = {},
): { decision: Decision; asked: SchedulerRequest[] } {
  const request: DecisionRequest = {
    kind: "VmTemplate",
    object: vm({ ...SPEC, ...spec }),
    namespace: { name: "demo", labels: {}, annotations: {} },
    ...{ nowSeconds: NOW, relatedWorkloads: null, operation: "CREATE", policy },
    ...more,
  };
  const step = decide({ ...request, ask: "advice" });
  const asked = step.state === "needs advice" ? [step.request] : [];
  return { decision: decideAlone({ ...request, advice: advice ?? undefined }), asked };
}

const codes = ({ degraded }: Decision): string[] =>
  degraded.map(({ code }) => code).filter((code) => code.startsWith("SCHEDULER"));

describe("an external scheduler", () => {
  it("is asked in the terms of the thesis: one job, electricity zones as regions, a deadline without the boot", () => {
    const { asked } = decideWith(null);
    expect(asked).toEqual([
      {
        number_of_jobs: 1,
        eligible_regions: ["FR", "IT-NO"],
        deadline: "2026-11-21T21:54:00Z",
        duration: "1h30m",
        ...{ cpu: 2, memory: 4 },
      },
    ]);
  });

  it("chooses the electricity zone and the start; Landfall chooses the best machine there", () => {
    const start = NOW + 7 * HOUR_SECONDS + 60;
    const { decision } = decideWith({ ok: true, zone: "IT-NO", start });
    expect(decision.placement).toMatchObject({
      scheduler: "external",
      start: formatTime(start),
      end: formatTime(start + 1.5 * HOUR_SECONDS),
      carbon: { zone: "IT-NO" },
    });
    expect(codes(decision)).toEqual([]);
    const places = decision.candidates.best.map(({ place }) => place);
    expect(places[0]).toBe(`${decision.placement?.provider ?? ""}/${decision.placement?.region ?? ""}`);
    expect(new Set(places).size).toBe(places.length);
  });

  it("may name the time of the request although it has passed", () => {
    const { decision } = decideWith({ ok: true, zone: "FR", start: NOW - 5 });
    expect(decision.placement).toMatchObject({ scheduler: "external", start: formatTime(NOW) });
  });

  it.each<[string, Advice, string]>([
    ["a region that it was not offered", { ok: true, zone: "SE-SE3", start: NOW + HOUR_SECONDS }, "SCHEDULER_REGION"],
    ["what is no electricity zone", { ok: true, zone: "eu-west-3", start: NOW + HOUR_SECONDS }, "SCHEDULER_REGION"],
    ["a start in the past", { ok: true, zone: "FR", start: NOW - 2 * HOUR_SECONDS }, "SCHEDULER_PAST"],
    ["a run that ends after the deadline", { ok: true, zone: "FR", start: NOW + 23 * HOUR_SECONDS }, "SCHEDULER_LATE"],
    ["nothing in time", { ok: false, code: "SCHEDULER_AWAY", params: { detail: "hangs" } }, "SCHEDULER_AWAY"],
  ])("is not followed where it chooses %s: the embedded one answers and says so", (_name, advice, code) => {
    const { decision } = decideWith(advice);
    const own = decideWith(null).decision;
    expect(decision.allowed).toBe(true);
    expect(decision.placement).toEqual({ ...own.placement, scheduler: "embedded" });
    expect(codes(decision)).toEqual([code]);
    expect(decision.degraded.at(-1)?.message).toMatch(/; the embedded scheduler chose instead$/);
  });

  it("must respect the budgets: it is offered only zones with headroom, and cannot choose a full hour", () => {
    const limited: LoadedBundle = {
      ...policy,
      evaluate: (input) => {
        const result = policy.evaluate(input);
        return { ...result, schedule: { ...result.schedule, budgets: { ...result.schedule.budgets, vcpus: 2 } } };
      },
    };
    const full = policy.evaluate(inputOf(policy)).candidates;
    // Italy is full all day, France for two hours.
    const placed: PlacedWorkload[] = full.map(({ place, electricityZone }) => ({
      ...{ place, vcpus: 2, start: NOW + (electricityZone === "FR" ? 6 * HOUR_SECONDS : 0) },
      end: NOW + (electricityZone === "FR" ? 8 : 48) * HOUR_SECONDS,
    }));
    const more = { policy: limited, placed: () => placed };
    const refused = decideWith({ ok: true, zone: "FR", start: NOW + 6 * HOUR_SECONDS }, {}, more);
    expect(refused.asked[0]?.eligible_regions).toEqual(["FR"]);
    expect(codes(refused.decision)).toEqual(["SCHEDULER_FULL"]);
    const { decision } = decideWith({ ok: true, zone: "FR", start: NOW + 9 * HOUR_SECONDS }, {}, more);
    expect(decision.placement).toMatchObject({ scheduler: "external", carbon: { zone: "FR" } });
  });

  it("is not asked about work without slack, a start that the user fixed, or what is denied", () => {
    const advice: Advice = { ok: true, zone: "FR", start: NOW + HOUR_SECONDS };
    expect(decideWith(advice, { deadline: undefined }).asked).toEqual([]);
    expect(decideWith(advice, { duration: undefined }).asked).toEqual([]);
    expect(decideWith(advice, { schedulingTime: formatTime(NOW + 2 * HOUR_SECONDS) }).asked).toEqual([]);
    const { asked, decision } = decideWith(advice, { cpu: 4000, memory: 4 });
    expect(decision.allowed).toBe(false);
    expect(asked).toEqual([]);
  });
});
