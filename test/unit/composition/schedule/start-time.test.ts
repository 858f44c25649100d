import { describe, expect, it } from "vitest";
import { countdown } from "../../../../src/composition/schedule/countdown.ts";
import {
  isDue,
  isScheduled,
  nextCountdown,
  scheduledCondition,
} from "../../../../src/composition/schedule/start-time.ts";
import { missesDeadlineBy, plannedStart } from "../../../../src/model/decision-annotation/planned-start.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const at = (text: string): number => Date.parse(text) / 1000;
const START = "2026-06-01T12:00:00Z";
const HELD = { "krateo.io/paused": "true", "landfall.dev/decision": "{}" };

const composition = (
  spec: Record<string, unknown>,
  annotations: Record<string, string> = HELD,
  more: Partial<Resource> = {},
): Resource => ({ apiVersion: "a/v1", kind: "VmTemplate", metadata: { name: "a", annotations }, spec, ...more });

describe("the start of a composition", () => {
  it("is its schedulingTime, but never later than the deadline less the duration", () => {
    expect(plannedStart(composition({ schedulingTime: START }))).toBe(at(START));
    const late = { schedulingTime: START, deadline: "2026-06-01T14:00:00Z", duration: "3h" };
    expect(plannedStart(composition(late))).toBe(at("2026-06-01T11:00:00Z"));
    expect(plannedStart(composition({ ...late, duration: "1h" }))).toBe(at(START));
    expect(plannedStart(composition({}))).toBeNull();
    expect(plannedStart(composition({ schedulingTime: "soon" }))).toBeNull();
  });

  it("leaves the time to boot that was decided before the deadline, and counts it in a late start", () => {
    const spec = { schedulingTime: START, deadline: "2026-06-01T13:00:00Z", duration: "1h" };
    const decision = (boot: unknown) => ({ ...HELD, "landfall.dev/decision": JSON.stringify({ placement: { boot } }) });
    const slow = composition(spec, decision({ seconds: 360, source: "catalog" }));
    expect(plannedStart(slow)).toBe(at("2026-06-01T11:54:00Z"));
    expect(missesDeadlineBy(slow, at("2026-06-01T11:54:00Z"))).toBe(0);
    expect(missesDeadlineBy(slow, at(START))).toBe(360);
    for (const odd of [null, "6m", { seconds: "360" }, { seconds: -5 }])
      expect(plannedStart(composition(spec, decision(odd)))).toBe(at(START));
  });

  const installed = { status: { managed: [{ name: "a" }] } };
  it.each<[string, Resource, boolean]>([
    ["before its time", composition({ schedulingTime: "2026-06-01T12:00:01Z" }), false],
    ["at its time", composition({ schedulingTime: START }), true],
    ["long after its time", composition({ schedulingTime: "2020-01-01T00:00:00Z" }), true],
    [
      "told to start",
      composition({ schedulingTime: "2099-01-01T00:00:00Z" }, { ...HELD, "landfall.dev/start-now": "urgent" }),
      true,
    ],
    [
      "told to start without a reason",
      composition({ schedulingTime: "2099-01-01T00:00:00Z" }, { ...HELD, "landfall.dev/start-now": " " }),
      false,
    ],
    ["not paused", composition({ schedulingTime: START }, { "landfall.dev/decision": "{}" }), false],
    ["not decided by Landfall", composition({ schedulingTime: START }, { "krateo.io/paused": "true" }), false],
    ["paused by a person after it was installed", composition({ schedulingTime: START }, HELD, installed), false],
    ["without a start", composition({}), false],
  ])("is due: %s", (_, object, expected) => {
    expect(isDue(object, at(START))).toBe(expected);
  });

  it("is not due while the composition is being deleted", () => {
    const object = composition({ schedulingTime: START });
    object.metadata.deletionTimestamp = START;
    expect(isScheduled(object)).toBe(false);
    expect(isDue(object, at(START))).toBe(false);
  });
});

describe("a user's pause", () => {
  const decided = (held: boolean) => ({
    "krateo.io/paused": "true",
    "landfall.dev/decision": JSON.stringify({ held }),
  });
  const since = (reason: string, lastTransitionTime: string, status = "False") => ({
    status: { conditions: [{ type: "Scheduled", status, reason, message: "", lastTransitionTime }] },
  });
  const nowSeconds = at(START) + 60;
  const spec = { schedulingTime: START };
  const urgent = { "landfall.dev/start-now": "urgent" };

  it.each<[string, Resource, boolean]>([
    ["held by admission", composition(spec, decided(true)), true],
    ["started when it was decided, so that admission held nothing", composition(spec, decided(false)), false],
    ["held by admission and by a person", composition(spec, { ...decided(true), "landfall.dev/hold": "audit" }), false],
    ["held by a person no more", composition(spec, { ...decided(true), "landfall.dev/hold": "" }), true],
    ["paused again after its start", composition(spec, decided(true), since("Started", START)), false],
    ["paused again, and seen so", composition(spec, decided(true), since("PausedAgain", START)), false],
    [
      "paused again after it was started before its time",
      composition(
        { schedulingTime: "2099-01-01T00:00:00Z" },
        { ...decided(true), ...urgent },
        since("StartedNow", START),
      ),
      false,
    ],
    [
      "started once, then given a later start",
      composition(spec, decided(true), since("Started", "2026-06-01T11:00:00Z")),
      true,
    ],
    ["held by a person until a moment ago", composition(spec, decided(true), since("PausedByUser", START)), true],
    ["waiting", composition(spec, decided(true), since("WaitingForStart", START, "True")), true],
    ["with a decision that cannot be read", composition(spec, { ...HELD, "landfall.dev/decision": "{" }), true],
  ])("is told from Landfall's own: %s", (_, object, landfalls) => {
    expect(isScheduled(object)).toBe(landfalls);
    expect(isDue(object, nowSeconds)).toBe(landfalls);
  });

  const told = (object: Resource, when = nowSeconds) =>
    scheduledCondition(object, when).flatMap(({ type, reason, message }) =>
      type === "Scheduled" ? [[reason, message]] : [],
    );

  it("is reported in the condition, with how to remove it", () => {
    const atOnce = "paused by its user; remove the annotation krateo.io/paused to let it start immediately";
    expect(told(composition(spec, decided(false)))).toEqual([["PausedByUser", atOnce]]);
    const [, ready] = scheduledCondition(composition(spec, decided(false)), nowSeconds);
    expect(ready).toEqual({ type: "Ready", status: "False", reason: "PausedByUser", message: atOnce });
    const hold = composition(spec, { ...decided(true), "landfall.dev/hold": "audit" });
    const later = `paused by its user; remove the annotation landfall.dev/hold to let it start at ${START}`;
    expect(told(hold, at(START) - 60)).toEqual([["PausedByUser", later]]);
    const again = "paused by its user after its start; remove the annotation krateo.io/paused to let it continue";
    expect(told(composition(spec, decided(true), since("Started", START)))).toEqual([["PausedAgain", again]]);
  });

  it("leaves the start time when it is removed", () => {
    const { "krateo.io/paused": _, ...running } = decided(true);
    expect(told(composition(spec, running, since("PausedAgain", START)))).toEqual([["Started", `started ${START}`]]);
    const released = composition(spec, running, since("PausedByUser", START));
    expect(told(released)).toEqual([["Started", "started 2026-06-01T12:01:00Z"]]);
    expect(told(composition(spec, running))).toEqual([["Started", "started 2026-06-01T12:01:00Z"]]);
    expect(told(composition(spec, running, since("Started", START)))).toEqual([]);
  });
});

describe("a start that comes too late for the deadline", () => {
  it("is measured from the end of the pause, not of the installation", () => {
    const conditions = (lastTransitionTime: string) => ({
      status: {
        conditions: [{ type: "Scheduled", status: "True", reason: "WaitingForStart", message: "", lastTransitionTime }],
      },
    });
    const lifted = { "landfall.dev/started": "2026-06-01T13:00:00Z" };
    const told = (since: string) =>
      scheduledCondition(composition(spec, lifted, conditions(since)), at("2026-06-01T13:01:00Z"))[0];
    expect(told(START)).toMatchObject({ reason: "Started", message: "started 2026-06-01T13:00:00Z" });
    expect(told("2026-06-01T13:00:30Z")).toMatchObject({ reason: "StartedLate" });
  });

  const spec = { schedulingTime: START, duration: "2h", deadline: "2026-06-01T15:00:00Z" };

  it("misses it by the missing time, and tolerates a moment", () => {
    expect(missesDeadlineBy(composition(spec), at("2026-06-01T13:00:10Z"))).toBe(0);
    expect(missesDeadlineBy(composition(spec), at("2026-06-01T13:00:11Z"))).toBe(11);
    expect(missesDeadlineBy(composition({ ...spec, duration: "soon" }), at("2026-06-01T18:00:00Z"))).toBe(0);
  });

  it("is reported in the condition", () => {
    const conditions = [{ type: "Scheduled", status: "True", reason: "WaitingForStart", message: "" }];
    const late = composition(spec, {}, { status: { conditions } });
    const message = "started 2026-06-01T14:30:00Z; its run ends 1 h 30 min after its deadline 2026-06-01T15:00:00Z";
    expect(scheduledCondition(late, at("2026-06-01T14:30:00Z"))).toEqual([
      { type: "Scheduled", status: "False", reason: "StartedLate", message },
    ]);
  });
});

describe("the condition Scheduled", () => {
  it("names the start, then reports that it has passed", () => {
    const held = composition({ schedulingTime: START });
    expect(scheduledCondition(held, at(START) - 8000)).toEqual([
      { type: "Scheduled", status: "True", reason: "WaitingForStart", message: `starts in 2 h 15 min (at ${START})` },
    ]);
    expect(scheduledCondition(held, at(START) + 1)[0]?.message).toBe(`starts immediately (its start was ${START})`);
    const conditions = [{ type: "Scheduled", status: "True", reason: "WaitingForStart", message: "" }];
    const lifted = composition({ schedulingTime: START }, {}, { status: { conditions } });
    expect(scheduledCondition(lifted, at(START) + 1)).toEqual([
      { type: "Scheduled", status: "False", reason: "Started", message: "started 2026-06-01T12:00:01Z" },
    ]);
  });

  it("names the reason for an early start", () => {
    const conditions = [{ type: "Scheduled", status: "True", reason: "WaitingForStart", message: "" }];
    const annotations = { "landfall.dev/start-now": "the customer\n waits" };
    const hurried = composition({ schedulingTime: START }, annotations, { status: { conditions } });
    const message = "started 2026-06-01T11:00:00Z, before its time: the customer waits";
    expect(scheduledCondition(hurried, at(START) - 3600)).toEqual([
      { type: "Scheduled", status: "False", reason: "StartedNow", message },
    ]);
  });

  it("is omitted for an object that was never held back", () => {
    expect(scheduledCondition(composition({ schedulingTime: START }, {}), 0)).toEqual([]);
  });
});

describe("the countdown", () => {
  it.each<[number, string, number]>([
    [1, "1 min", 1],
    [60, "1 min", 60],
    [61, "2 min", 1],
    [3600, "1 h", 60],
    [7199, "2 h", 59],
    [7200, "2 h", 60],
    [7201, "2 h", 1],
    [7650, "2 h 15 min", 1],
    [8549, "2 h 15 min", 900],
    [90_000, "1 d 1 h", 451],
    [604_800, "7 d", 451],
  ])("of %d s reads %s for %d s", (seconds, text, next) => {
    expect(countdown(seconds)).toEqual({ text, nextMs: next * 1000 });
  });

  it("changes 785 times in a week: every minute near the start, every quarter of an hour before", () => {
    let changes = 0;
    for (let left = 604_800; left > 0; left -= countdown(left).nextMs / 1000) changes += 1;
    expect(changes).toBe((604_800 - 7200) / 900 + 1 + 120);
  });

  it("is scheduled only if there is a start", () => {
    expect(nextCountdown(composition({ schedulingTime: START }), at(START) - 90)).toBe(30_000);
    expect(nextCountdown(composition({ schedulingTime: START }), at(START))).toBeNull();
    expect(nextCountdown(composition({}), 0)).toBeNull();
    expect(nextCountdown(composition({ schedulingTime: START }, {}), 0)).toBeNull();
  });
});
