import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { Composition, CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import { askAnother } from "../../../../src/composition/run/another/ask-another.ts";
import { countRuns } from "../../../../src/composition/run/state/run-metrics.ts";
import type { FollowedRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { lostSeconds, withLateResume } from "../../../../src/composition/run/state/late-resume.ts";
import { nextRunStep } from "../../../../src/composition/run/state/next-run-step.ts";
import type { ConditionInput, Resource } from "../../../../src/composition/types.ts";
import type { RunPlan, RunRecord } from "../../../../src/model/runs/run-record.ts";
import { workEnd } from "../../../../src/model/runs/run-times.ts";
import { signCommand } from "../../../../src/model/decision-annotation/command.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { ANNOTATION, ANOTHER_SIZE, ANOTHER_ZONE } from "../../../../src/model/names.ts";

const HOUR = 3600;
const START = 1_800_000_000;
const at = (hours: number): number => START + hours * HOUR;
/** Four hours of work, of which one comes before a pause of four hours. */
const plan: RunPlan = {
  ...{ duration: 4 * HOUR, maxLifetime: null, whenDone: "delete", keepFailed: null, grace: 5, retains: false },
  ...{ pauses: [{ from: at(1), to: at(5) }], resume: 600, deadline: at(10) },
};
const recordOf = (fields: Partial<RunRecord> = {}): RunRecord => ({
  ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "job", run: "", plan, startedAt: START, end: null },
  ...{ removedAt: null, wasReady: false, machine: null, reported: null, pricePerHour: null, gramsCO2: null },
  ...fields,
});

describe("a run whose machine comes late after a pause", () => {
  const ended = (now: number, record = recordOf(), given = plan) =>
    workEnd(withLateResume(given, record, now), START) ?? 0;

  it("works its whole duration: it ends later by what its resume took too long", () => {
    expect(ended(at(5) + 600)).toBe(at(8) + 600);
    expect(ended(at(5) + 1800)).toBe(at(8) + 1800);
    // The same again, from what was recorded meanwhile.
    const recorded = withLateResume(plan, recordOf(), at(5) + 1800);
    expect(ended(at(5) + 2400, recordOf({ plan: recorded }), recorded)).toBe(at(8) + 2400);
  });

  it("ends by its deadline and its limit nevertheless", () => {
    const late = (given: RunPlan, now: number) => {
      const record = recordOf({ plan: withLateResume(given, recordOf({ plan: given }), now) });
      const lost = lostSeconds(record.plan, record);
      return { lost, step: nextRunStep(record.plan, { ...record, lostSeconds: lost }, null, now) };
    };
    expect(late(plan, at(9))).toMatchObject({ lost: 2 * HOUR, step: { endsAt: at(10) } });
    const limited: RunPlan = { ...plan, maxLifetime: 9 * HOUR };
    expect(late(limited, at(8))).toMatchObject({ lost: 2 * HOUR, step: { endsAt: at(9) } });
    expect(late(plan, at(10)).step.found).toMatchObject({ by: "time", at: at(10), outcome: "failed" });
  });

  it("keeps its plan once the machine was there, before the pause is over, and after its end", () => {
    expect(withLateResume(plan, recordOf({ wasReady: true }), at(7))).toBe(plan);
    expect(withLateResume(plan, recordOf(), at(4.9))).toBe(plan);
    expect(withLateResume(plan, recordOf({ end: { at: at(6), by: "annotation", outcome: "failed" } }), at(7))).toBe(
      plan,
    );
    const { pauses: _, ...whole } = plan;
    expect(withLateResume(whole, recordOf({ plan: whole }), at(7))).toBe(whole);
  });

  it("pauses again as planned, and does not lengthen the pause before that", () => {
    const twice: RunPlan = { ...plan, deadline: at(20), pauses: [...(plan.pauses ?? []), { from: at(7), to: at(9) }] };
    const second = withLateResume(twice, recordOf({ plan: twice }), at(8));
    expect(second).toBe(twice);
    const early = withLateResume(twice, recordOf({ plan: twice }), at(6) + 600);
    expect(early.pauses).toEqual([
      { from: at(1), to: at(6) },
      { from: at(7), to: at(9) },
    ]);
  });
});

const KEYS = ringOf(Buffer.alloc(32, 7));
/** What the controller signs: the webhook takes another size or zone from no one else. */
const SIZE = signCommand(KEYS, ANOTHER_SIZE, { uid: "u", lacks: "e2-standard-2" }, START);
const ZONE = signCommand(KEYS, ANOTHER_ZONE, { uid: "u", lacks: "west-a" }, START);
const reevaluated = (wish: string) => ({ metadata: { annotations: { [ANNOTATION.reevaluate]: wish } } });

const SOLD_OUT = "ComputeInstance job: ZONE_RESOURCE_POOL_EXHAUSTED: not enough resources";

type Given = { now?: number; wasReady?: boolean; clock?: number; hasMachine?: boolean } & Partial<
  Pick<RunRecord, "plan" | "evictions" | "firstStartedAt">
>;

interface Asked {
  patches: unknown[];
  events: string[];
  stored: RunRecord[];
  ask: (ready: Partial<ConditionInput>, fields?: Given) => Promise<void>;
}

/** A controller whose webhook answers with this type, or with an error of this status; in this region, and with this zone. */
function asked(answer: string | number, region = "west", zones: (string | undefined)[] = []): Asked {
  const patches: unknown[] = [];
  const events: string[] = [];
  const stored: RunRecord[] = [];
  const [zone, nextZone = zone] = zones;
  const objectOf = (instanceType: string, there = "west", inZone = zone): Resource => ({
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
    metadata: {
      name: "job",
      resourceVersion: "7",
      annotations: {
        [ANNOTATION.decision]: JSON.stringify({
          placement: { instanceType, provider: "gcp", region: there, zone: inZone },
        }),
      },
    },
  });
  let clock = START;
  const context = {
    sizesAsked: new Map(),
    keys: () => KEYS,
    nowSeconds: () => clock,
    record: (_object: Resource, { message }: { message: string }) => void events.push(message),
    runMetrics: countRuns(),
    runs: {
      read: () => Promise.resolve(recordOf()),
      change: (next: RunRecord) => Promise.resolve(void stored.push(next)),
    },
    client: {
      patch: (_path: string, _how: string, body: unknown) => {
        patches.push(body);
        if (typeof answer === "number") return Promise.reject(new ApiError(answer, { action: "PATCH", detail: "" }));
        const wish = JSON.stringify(body);
        if (wish.includes("another-zone")) return Promise.resolve(objectOf("e2-standard-2", "west", nextZone));
        return Promise.resolve(objectOf(answer, wish.includes("another-place") ? region : "west"));
      },
    },
  } as unknown as CompositionContext;
  const composition: Composition = { key: "k", object: objectOf("e2-standard-2"), path: apiPath`/apis/x` };
  return {
    ...{ patches, events, stored },
    ask: async (
      ready,
      { now = at(5.5), wasReady = false, clock: time = START, hasMachine = false, ...fields } = {},
    ) => {
      clock = time;
      const record = recordOf({ wasReady, ...fields });
      const run: FollowedRun = { record, step: nextRunStep(record.plan, record, null, now), now };
      const condition = { type: "Ready", status: "False", reason: "ProviderCapacity", message: SOLD_OUT, ...ready };
      await askAnother(context, composition, run, { ready: condition as ConditionInput, hasMachine });
    },
  };
}

describe("a resume for which its provider has no machine", () => {
  it("asks for another size, and says which it is", async () => {
    const one = asked("e2-highmem-2");
    await one.ask({});
    expect(one.patches).toEqual([reevaluated(SIZE)]);
    expect(one.events).toEqual(["its provider has no e2-standard-2 for it to continue: it continues on e2-highmem-2"]);
    expect(one.stored).toMatchObject([{ fallbacks: { sizes: 1, places: 0 } }]);
  });

  it("does so for another run on a machine that is stopped, but not for one whose machine was never there", async () => {
    const one = asked("e2-highmem-2");
    await one.ask({}, { now: at(0.5), firstStartedAt: START, hasMachine: true });
    expect(one.patches).toEqual([reevaluated(SIZE)]);
    const first = asked("e2-highmem-2");
    await first.ask({}, { now: at(0.5), hasMachine: true });
    await first.ask({}, { now: at(0.5), firstStartedAt: START });
    expect(first.patches).toEqual([]);
  });

  it("says nothing if there is no other one, and asks again two minutes later", async () => {
    const one = asked("e2-standard-2");
    for (const clock of [0, 60, 119, 120]) await one.ask({}, { clock: START + clock });
    expect(one.patches).toHaveLength(2);
    expect(one.events).toEqual([]);
  });

  it.each<[string, Partial<ConditionInput>, { now?: number; wasReady?: boolean }]>([
    ["before the first pause", {}, { now: at(0.5) }],
    ["in the pause", {}, { now: at(3) }],
    ["of a machine that was there again", {}, { wasReady: true }],
    ["for another reason", { reason: "ProviderRetrying" }, {}],
    ["because of a quota", { message: "QUOTA_EXCEEDED: Quota 'CPUS' exceeded" }, {}],
  ])("asks for nothing %s", async (_what, ready, fields) => {
    const one = asked("e2-highmem-2");
    await one.ask(ready, fields);
    expect(one.patches).toEqual([]);
  });

  it("tries again at once if the object has changed, and reports other errors", async () => {
    const changed = asked(409);
    await changed.ask({});
    await changed.ask({});
    expect(changed.patches).toHaveLength(2);
    await expect(asked(500).ask({})).rejects.toMatchObject({ status: 500 });
  });
});

describe("a run that creates its machine again", () => {
  const recreates: RunPlan = { ...plan, recreates: true };

  it("asks for another place if there is no other size, says and counts it", async () => {
    const one = asked("e2-standard-2", "north");
    await one.ask({}, { plan: recreates });
    expect(one.patches).toEqual([reevaluated(SIZE), reevaluated("another-place")]);
    expect(one.events).toEqual(["gcp/west has no machine for it to continue: it continues in gcp/north"]);
    expect(one.stored).toMatchObject([{ fallbacks: { sizes: 0, places: 1 } }]);
  });

  it("stays if no other place is allowed, and takes another size first", async () => {
    const none = asked("e2-standard-2");
    await none.ask({}, { plan: recreates });
    expect([none.patches.length, none.events, none.stored]).toEqual([2, [], []]);
    const sized = asked("e2-highmem-2", "north");
    await sized.ask({}, { plan: recreates });
    expect(sized.patches).toEqual([reevaluated(SIZE)]);
  });

  it("does both after an eviction, and a machine that is only stopped never leaves its place", async () => {
    const { pauses: _, ...whole } = plan;
    const evicted = asked("e2-standard-2", "north");
    await evicted.ask({}, { now: at(1), plan: whole, evictions: { count: 1, waiting: true } });
    expect(evicted.events).toEqual(["gcp/west has no machine for it to continue: it continues in gcp/north"]);
    const stopped = asked("e2-standard-2", "north");
    await stopped.ask({});
    expect(stopped.patches).toEqual([reevaluated(SIZE)]);
  });
});

const LETTER_UNKNOWN =
  "Subnet job-subnet: InvalidParameterValue: Value (west-a) for parameter availabilityZone is invalid. Subnets can currently only be created in …";

describe("a run whose machine is created in a zone", () => {
  const recreates: RunPlan = { ...plan, recreates: true };
  const before = { now: at(0.1) };
  const moved = "west-a has no e2-standard-2 for it: it is created in west-b";

  it.each<[string, Partial<ConditionInput>, Given]>([
    ["at its first start", {}, before],
    [
      "at its first start in a zone that the account lacks",
      { reason: "ProviderTerminal", message: LETTER_UNKNOWN },
      before,
    ],
    ["after a pause that deleted it", {}, { plan: recreates }],
    ["after an eviction", {}, { ...before, evictions: { count: 1, waiting: true } }],
  ])("asks for another zone %s before anything else, says and counts it", async (_what, ready, fields) => {
    const one = asked("e2-highmem-2", "north", ["west-a", "west-b"]);
    await one.ask(ready, fields);
    expect(one.patches).toEqual([reevaluated(ZONE)]);
    expect(one.events).toEqual([moved]);
    expect(one.stored).toMatchObject([{ fallbacks: { zones: 1, sizes: 0, places: 0 } }]);
    // The next refusal is one of the new zone.
    await one.ask(ready, fields);
    expect(one.patches).toHaveLength(2);
  });

  it("asks for another size and place when no zone is left, but not at its first start", async () => {
    const again = asked("e2-standard-2", "north", ["west-a"]);
    await again.ask({}, { plan: recreates });
    expect(again.patches).toEqual([ZONE, SIZE, "another-place"].map(reevaluated));
    const first = asked("e2-highmem-2", "north", ["west-a"]);
    await first.ask({}, before);
    expect(first.patches).toEqual([reevaluated(ZONE)]);
  });

  it("asks for another size first while the evicted machine is there, since its disk is in the zone", async () => {
    const evicted = { ...before, hasMachine: true, evictions: { count: 1, waiting: true } };
    const sized = asked("e2-highmem-2", "north", ["west-a", "west-b"]);
    await sized.ask({}, evicted);
    expect(sized.patches).toEqual([reevaluated(SIZE)]);
    const none = asked("e2-standard-2", "north", ["west-a", "west-b"]);
    await none.ask({}, evicted);
    expect(none.patches).toEqual([SIZE, ZONE].map(reevaluated));
    expect(none.events).toEqual([moved]);
  });

  it.each<[string, Partial<ConditionInput>, Given]>([
    ["whose machine is only stopped", {}, {}],
    ["whose machine is there, although it never was ready", {}, { ...before, hasMachine: true }],
    ["that is retained", {}, { ...before, plan: { ...plan, retains: true } }],
    ["that a quota refuses", { message: "VcpuLimitExceeded: more vCPU capacity than your limit" }, before],
    ["that fails for another reason", { reason: "ProviderTerminal", message: "BadImage" }, before],
    ["that is paused", {}, { now: at(3), plan: recreates }],
    ["whose machine works", {}, { ...before, wasReady: true }],
  ])("asks for no zone for a run %s", async (_what, ready, fields) => {
    const one = asked("e2-standard-2", "west", ["west-a", "west-b"]);
    await one.ask(ready, fields);
    expect(one.patches).not.toContainEqual(reevaluated(ZONE));
  });
});
