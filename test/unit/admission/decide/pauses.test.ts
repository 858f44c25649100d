import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { formatTime, HOUR_SECONDS, parseTime } from "../../../../src/model/time.ts";
import { context, create, NOW, patched, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const DEADLINE = formatTime(NOW + 96 * HOUR_SECONDS);
const MACHINE = { cpu: 2, memory: 4, duration: "12h", deadline: DEADLINE, waitingCostPercent: 0 };
const asked = (spec: Record<string, unknown>) => vm({ ...MACHINE, interruptible: {}, ...spec });
const ask = (spec: Record<string, unknown>): Outcome => admit(create(asked(spec)), context(policy));
const RECREATE = { interruptible: { by: "recreate" } };
const KEPT = { disks: [{ name: "data", sizeGiB: 10, deletionPolicy: "retain" }] };
const codesOf = (outcome: Outcome): readonly string[] => (outcome.allowed ? [] : outcome.codes);
const messageOf = (outcome: Outcome): string => (outcome.allowed ? "" : outcome.message);

describe("the cost of waiting", () => {
  it.each([
    ["of a run that may wait", {}],
    ["of a run that starts now", { maxWait: "1s" }],
  ])("counts in the pauses %s", (_what, spec) => {
    const endAt = (waitingCostPercent: number): number => {
      const object = asked({ provider: "gcp", schedulingLocation: "us-west2", ...spec, waitingCostPercent });
      const { placement } = readDecision(patched(object, admit(create(object), context(policy)))) ?? {};
      return parseTime(placement?.end ?? "") ?? Number.NaN;
    };
    expect(endAt(0) - NOW).toBeGreaterThan(24 * HOUR_SECONDS);
    expect(endAt(100) - NOW).toBeLessThan(14 * HOUR_SECONDS);
  });
});

describe("a run that cannot pause", () => {
  it.each([
    ["without a duration", { duration: undefined }, "ADM_INTERRUPTIBLE", "add duration"],
    ["without a deadline", { deadline: undefined }, "ADM_INTERRUPTIBLE", "add deadline"],
    [
      "with parts that are longer than the run",
      { interruptible: { minRun: "13h" } },
      "ADM_INTERRUPTIBLE",
      "at most 12h",
    ],
    ["with a time that is none", { interruptible: { minRun: "P" } }, "ADM_DURATION", "spec.interruptible.minRun"],
    ["with a resume that is no time", { interruptible: { resumeCost: "quick" } }, "ADM_DURATION", "resumeCost"],
    ["with no pause at all", { interruptible: { maxPauses: 0 } }, "ADM_SCHEMA", "maxPauses"],
    ["with an unknown field", { interruptible: { by: "magic" } }, "ADM_SCHEMA", "by"],
    ["at a provider that cannot stop it", { provider: "azure" }, "POL_RUN_STOP", "passes with: provider gcp"],
    ["there, with another way to pause", { provider: "azure" }, "POL_RUN_STOP", "interruptible.by: recreate (azure/"],
    [
      "with a disk that would be lost",
      { ...RECREATE, disks: [{ name: "tmp", sizeGiB: 10 }] },
      "ADM_INTERRUPTIBLE",
      "the data disk tmp does not stay",
    ],
    [
      "with a disk that no other machine gets",
      { ...RECREATE, ...KEPT, provider: "aws" },
      "POL_RUN_STOP",
      "provider azure",
    ],
    ["with a machine that is retained", { ...RECREATE, deletionPolicy: "retain" }, "POL_RUN_RETAINS", "its pauses"],
    [
      "on a spot machine that none can stop, with what passes alone",
      { provider: "azure", capacity: "spot", whenDone: "stop" },
      "POL_RUN_STOP",
      "write whenDone: delete or keep, and omit interruptible",
    ],
    [
      "with the fields that ask for a stop",
      { provider: "azure", whenDone: "stop" },
      "POL_RUN_STOP",
      "azure cannot stop the machine for spec.whenDone stop and spec.interruptible",
    ],
    ["at another one", { provider: "aws" }, "POL_RUN_STOP", "gcp"],
    [
      "there, with disks that would have to stay",
      { provider: "azure", disks: [{ name: "tmp", sizeGiB: 10 }] },
      "POL_RUN_STOP",
      "interruptible.by: recreate and deletionPolicy: retain on each disk",
    ],
  ])("is denied %s", (_what, spec, code, text) => {
    const outcome = ask(spec);
    expect(codesOf(outcome)).toContain(code);
    expect(messageOf(outcome)).toContain(text);
  });

  it("is denied for a cluster, which no operator stops", () => {
    const nodePools = [{ name: "a", cpu: 2, memory: 4, count: 1 }];
    const cluster = {
      ...vm({ nodePools, duration: "12h", deadline: DEADLINE, interruptible: {} }),
      kind: "KaasCluster",
    };
    const outcome = admit({ ...create(cluster), kind: "KaasCluster" }, context(policy));
    expect(codesOf(outcome)).toEqual(["ADM_SCHEMA"]);
  });
});

describe("a run that may pause", () => {
  const decided = (spec: Record<string, unknown>) => {
    const object = asked(spec);
    const outcome = admit(create(object), context(policy));
    return { outcome, placement: readDecision(patched(object, outcome))?.placement };
  };

  it("is split over the greener hours before its deadline, where its machine can be stopped", () => {
    const { outcome, placement } = decided({ provider: "gcp", schedulingLocation: "europe-southwest1" });
    const { segments = [], start, end } = placement ?? {};
    expect(segments.length).toBeGreaterThan(1);
    expect([segments[0]?.start, segments.at(-1)?.end]).toEqual([start, end]);
    const seconds = segments.map((one) => (parseTime(one.end) ?? 0) - (parseTime(one.start) ?? 0));
    const resumes = (segments.length - 1) * 600;
    expect(seconds.reduce((sum, one) => sum + one, 0)).toBe(12 * HOUR_SECONDS + resumes);
    expect(parseTime(end ?? "")).toBeLessThanOrEqual(NOW + 96 * HOUR_SECONDS - 1500);
    const told = outcome.allowed ? outcome.warnings.join("\n") : "";
    expect(told).toMatch(new RegExp(`; ${String(segments.length - 1)} pauses?; gcp/europe-southwest1`));
    const whole = decided({
      provider: "gcp",
      schedulingLocation: "europe-southwest1",
      interruptible: undefined,
    }).placement;
    expect(placement?.gramsCO2).toBeLessThan(0.99 * (whole?.gramsCO2 ?? 0));
  });

  it("is not split by more than its limits: pauses, least work and maxLifetime", () => {
    const limited = decided({
      provider: "gcp",
      schedulingLocation: "europe-southwest1",
      interruptible: { maxPauses: 1 },
    });
    expect(limited.placement?.segments).toHaveLength(2);
    const long = decided({ provider: "gcp", schedulingLocation: "europe-southwest1", interruptible: { minRun: "7h" } });
    expect(long.placement?.segments).toBeUndefined();
    const short = decided({ provider: "gcp", schedulingLocation: "europe-southwest1", maxLifetime: "12h" });
    expect(short.placement?.segments).toBeUndefined();
    const within = decided({ provider: "gcp", schedulingLocation: "europe-southwest1", maxLifetime: "30h" });
    const { start = "", end, segments } = within.placement ?? {};
    expect(segments?.length).toBeGreaterThan(1);
    expect((parseTime(end ?? "") ?? 0) - (parseTime(start) ?? 0)).toBeLessThanOrEqual(30 * HOUR_SECONDS - 1500);
  });

  it("pauses where no machine can be stopped if it is created again, and says what is lost", () => {
    const azure = { provider: "azure", schedulingLocation: "spaincentral" };
    const { outcome, placement } = decided({ ...azure, ...RECREATE, ...KEPT });
    expect(placement?.segments?.length).toBeGreaterThan(1);
    const told = outcome.allowed ? outcome.warnings.join("\n") : "";
    expect(told).toContain("each pause deletes the machine with its system disk: only data stays, and is paid for");
    const bare = decided({ provider: "aws", schedulingLocation: "eu-south-2", ...RECREATE });
    expect(bare.placement?.segments?.length).toBeGreaterThan(1);
    expect(bare.outcome.allowed ? bare.outcome.warnings.join("\n") : "").toContain("nothing of it stays");
    const free = decided({ ...RECREATE });
    expect(free.outcome.allowed ? free.outcome.warnings.join("\n") : "").toContain("[PAUSE_RECREATES]");
  });

  it.each([
    ["gcp", { provider: "gcp", schedulingLocation: "europe-southwest1" }, true],
    ["gcp, by deletion", { provider: "gcp", schedulingLocation: "europe-southwest1", ...RECREATE }, true],
    ["aws, by deletion", { provider: "aws", schedulingLocation: "eu-south-2", ...RECREATE }, true],
    ["azure, by deletion", { provider: "azure", schedulingLocation: "spaincentral", ...RECREATE }, false],
  ])("says whether a public address is another one after a pause: %s", (_where, spec, expected) => {
    const toldOf = ({ outcome }: ReturnType<typeof decided>): string =>
      outcome.allowed ? outcome.warnings.join("\n") : "";
    expect(toldOf(decided({ ...spec, network: { publicIP: true } })).includes("[PAUSE_ADDRESS]")).toBe(expected);
    expect(toldOf(decided(spec))).not.toContain("[PAUSE_ADDRESS]");
  });

  it("goes where its machine can be stopped, and pays for waiting as others do", () => {
    const { placement } = decided({});
    expect(["gcp", "elemento"]).toContain(placement?.provider);
    const hurried = decided({ provider: "gcp", schedulingLocation: "europe-southwest1", waitingCostPercent: 500 });
    expect(hurried.placement?.segments).toBeUndefined();
  });
});
