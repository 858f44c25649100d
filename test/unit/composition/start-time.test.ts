import { describe, expect, it } from "vitest";
import { countdown } from "../../../src/composition/instance/countdown.ts";
import {
  isDue,
  isScheduled,
  nextCountdown,
  scheduledCondition,
  startTime,
} from "../../../src/composition/instance/start-time.ts";
import type { Resource } from "../../../src/composition/types.ts";

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
    expect(startTime(composition({ schedulingTime: START }))).toBe(at(START));
    const late = { schedulingTime: START, deadline: "2026-06-01T14:00:00Z", duration: "3h" };
    expect(startTime(composition(late))).toBe(at("2026-06-01T11:00:00Z"));
    expect(startTime(composition({ ...late, duration: "1h" }))).toBe(at(START));
    expect(startTime(composition({}))).toBeNull();
    expect(startTime(composition({ schedulingTime: "soon" }))).toBeNull();
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

describe("the condition Scheduled", () => {
  it("names the start, then says that it has come", () => {
    const held = composition({ schedulingTime: START });
    expect(scheduledCondition(held, at(START) - 8000)).toEqual([
      { type: "Scheduled", status: "True", reason: "WaitingForStart", message: `starts in 2 h 15 min (at ${START})` },
    ]);
    expect(scheduledCondition(held, at(START) + 1)[0]?.message).toBe(`starts at once (its start was ${START})`);
    const conditions = [{ type: "Scheduled", status: "True", reason: "WaitingForStart", message: "" }];
    const lifted = composition({ schedulingTime: START }, {}, { status: { conditions } });
    expect(scheduledCondition(lifted, at(START) + 1)).toEqual([
      { type: "Scheduled", status: "False", reason: "Started", message: "started 2026-06-01T12:00:01Z" },
    ]);
  });

  it("names the reason of a user who did not wait", () => {
    const conditions = [{ type: "Scheduled", status: "True", reason: "WaitingForStart", message: "" }];
    const annotations = { "landfall.dev/start-now": "the customer\n waits" };
    const hurried = composition({ schedulingTime: START }, annotations, { status: { conditions } });
    const message = "started 2026-06-01T11:00:00Z, before its time: the customer waits";
    expect(scheduledCondition(hurried, at(START) - 3600)).toEqual([
      { type: "Scheduled", status: "False", reason: "StartedNow", message },
    ]);
  });

  it("is left out for one that was never held back", () => {
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

  it("of a whole week changes 785 times: once a minute near, four times an hour far", () => {
    let changes = 0;
    for (let left = 604_800; left > 0; left -= countdown(left).nextMs / 1000) changes += 1;
    expect(changes).toBe((604_800 - 7200) / 900 + 1 + 120);
  });

  it("is only waited for where a start is", () => {
    expect(nextCountdown(composition({ schedulingTime: START }), at(START) - 90)).toBe(30_000);
    expect(nextCountdown(composition({ schedulingTime: START }), at(START))).toBeNull();
    expect(nextCountdown(composition({}), 0)).toBeNull();
    expect(nextCountdown(composition({ schedulingTime: START }, {}), 0)).toBeNull();
  });
});
