import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import type { ObservedBoots } from "../../../../src/model/places/boot-times.ts";
import { formatTime, HOUR_SECONDS, MINUTE_SECONDS, parseTime } from "../../../../src/model/time.ts";
import { context, create, NOW, patched, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { bootsOf } from "../../../support/composition/observed-boots.ts";

const policy = await loadPolicy();
const MACHINE = { cpu: 2, memory: 4, duration: "1h", maxLatency: 1000 };
const after = (seconds: number): string => formatTime(NOW + seconds);

function ask(spec: Record<string, unknown>, boots: ObservedBoots = {}) {
  const object = vm({ ...MACHINE, ...spec });
  const outcome = admit(create(object), { ...context(policy), boots });
  return { outcome, placement: outcome.allowed ? readDecision(patched(object, outcome))?.placement : undefined };
}
const codesOf = (outcome: Outcome): readonly string[] => (outcome.allowed ? [] : outcome.codes);
const messageOf = (outcome: Outcome): string => (outcome.allowed ? "" : outcome.message);

describe("a deadline that fits only without the time to boot", () => {
  it("is denied with the figure, and with a deadline that passes", () => {
    const { outcome } = ask({ provider: "azure", deadline: after(HOUR_SECONDS + 359) });
    expect(codesOf(outcome)).toEqual(["ADM_DEADLINE_BOOT"]);
    expect(messageOf(outcome)).toContain("is ready 6m later, and then runs for 1h");
    const [, deadline = ""] = /deadline (\S+Z) \(/.exec(messageOf(outcome)) ?? [];
    expect(ask({ provider: "azure", deadline }).outcome.allowed).toBe(true);
  });

  it("is met to the second where it leaves just that time", () => {
    const { placement } = ask({ provider: "azure", deadline: after(HOUR_SECONDS + 360) });
    expect(placement).toMatchObject({ start: after(0), boot: { seconds: 360, source: "catalog" } });
  });

  it("leaves only the providers that are ready in time", () => {
    const tight = ask({ deadline: after(HOUR_SECONDS + 100) });
    expect(tight.placement).toMatchObject({ provider: "gcp", start: after(0), boot: { seconds: 90 } });
    const { outcome } = ask({ deadline: after(HOUR_SECONDS + 60) });
    expect(messageOf(outcome)).toContain("at gcp, a machine that starts at");
  });

  it("is denied for a start that its user fixed, and allowed for one that is earlier by the boot", () => {
    const deadline = after(5 * HOUR_SECONDS);
    const at = (seconds: number) => ask({ provider: "gcp", deadline, schedulingTime: after(seconds) }).outcome;
    expect(codesOf(at(4 * HOUR_SECONDS - 89))).toEqual(["ADM_DEADLINE_BOOT"]);
    expect(at(4 * HOUR_SECONDS - 90).allowed).toBe(true);
  });

  it("counts the time that a cluster takes", () => {
    const nodePools = [{ name: "a", cpu: 2, memory: 4, count: 1 }];
    const cluster = (deadline: string) => ({
      ...vm({ nodePools, provider: "aws", duration: "1h", deadline }),
      kind: "KaasCluster",
    });
    const asked = (slack: number) =>
      admit({ ...create(cluster(after(HOUR_SECONDS + slack))), kind: "KaasCluster" }, context(policy));
    expect(codesOf(asked(19 * MINUTE_SECONDS))).toEqual(["ADM_DEADLINE_BOOT"]);
    expect(asked(20 * MINUTE_SECONDS).allowed).toBe(true);
  });
});

describe("end, price and CO2e of a run", () => {
  it("count from its start, whatever time its kind takes to boot", () => {
    const run = {
      provider: "aws",
      schedulingLocation: "eu-north-1",
      duration: "3h",
      deadline: after(9 * HOUR_SECONDS),
    };
    const ofKind = (kind: "VmTemplate" | "KaasCluster", spec: Record<string, unknown>) => {
      const object = { ...vm({ ...run, ...spec, waitingCostPercent: 100 }), kind };
      const outcome = admit({ ...create(object), kind }, context(policy));
      const { start, end, boot, gramsCO2 } = readDecision(patched(object, outcome))?.placement ?? {};
      const usd = outcome.allowed ? / ([\d.]+ USD);/.exec(outcome.warnings[0] ?? "")?.[1] : outcome.message;
      return { boot: boot?.seconds, told: { start, end, usd, gramsCO2 } };
    };
    const [machine, cluster] = [
      ofKind("VmTemplate", { cpu: 2, memory: 4 }),
      ofKind("KaasCluster", { nodePools: [{ name: "a", cpu: 2, memory: 4, count: 1 }] }),
    ];
    expect([machine.boot, cluster.boot]).toEqual([120, 1200]);
    expect(machine.told).toMatchObject({ start: after(0), end: after(3 * HOUR_SECONDS), usd: "0.25 USD" });
    expect(cluster.told).toEqual(machine.told);
  });
});

describe("the time to boot", () => {
  it("is kept free before the deadline of every start", () => {
    const deadline = after(30 * HOUR_SECONDS);
    for (const provider of ["azure", "aws", "gcp"]) {
      const { placement } = ask({ provider, deadline, waitingCostPercent: 0 });
      const { start = "", boot } = placement ?? {};
      expect((parseTime(start) ?? 0) + HOUR_SECONDS + (boot?.seconds ?? Infinity)).toBeLessThanOrEqual(
        NOW + 30 * HOUR_SECONDS,
      );
    }
  });

  it("is what the controller observed, where that is known", () => {
    const boots = { "azure/VmTemplate": bootsOf(40, 50, 60) };
    const { placement } = ask({ provider: "azure", deadline: after(HOUR_SECONDS + 50) }, boots);
    expect(placement?.boot).toEqual({ seconds: 50, source: "observed" });
  });

  it("does not count without a deadline or a duration", () => {
    expect(ask({}).placement?.boot).toBeUndefined();
    expect(ask({ duration: undefined, deadline: after(60) }).placement?.boot).toBeUndefined();
  });

  it("is the least that a resume takes", () => {
    const run = { duration: "12h", deadline: after(96 * HOUR_SECONDS), waitingCostPercent: 0, provider: "gcp" };
    const split = { ...run, schedulingLocation: "europe-southwest1", interruptible: { resumeCost: "1s" } };
    const working = (seconds: number[]): number => {
      const { segments = [] } = ask(split, { "gcp/VmTemplate": bootsOf(...seconds) }).placement ?? {};
      const on = segments.map(({ start, end }) => (parseTime(end) ?? 0) - (parseTime(start) ?? 0));
      expect(segments.length).toBeGreaterThan(1);
      return (on.reduce((sum, part) => sum + part, 0) - 12 * HOUR_SECONDS) / (segments.length - 1);
    };
    expect([working([]), working([200, 200, 200])]).toEqual([90, 200]);
  });
});
