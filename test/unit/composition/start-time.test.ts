import { describe, expect, it } from "vitest";
import { isDue, isScheduled, scheduledCondition, startTime } from "../../../src/composition/instance/start-time.ts";
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
      composition({ schedulingTime: "2099-01-01T00:00:00Z" }, { ...HELD, "landfall.dev/start-now": "" }),
      true,
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
    expect(scheduledCondition(held, 0)).toEqual([
      { type: "Scheduled", status: "True", reason: "WaitingForStart", message: `starts ${START}` },
    ]);
    const conditions = [{ type: "Scheduled", status: "True", reason: "WaitingForStart", message: "" }];
    const lifted = composition({ schedulingTime: START }, {}, { status: { conditions } });
    expect(scheduledCondition(lifted, at(START) + 1)).toEqual([
      { type: "Scheduled", status: "False", reason: "Started", message: "started 2026-06-01T12:00:01Z" },
    ]);
  });

  it("is left out for one that was never held back", () => {
    expect(scheduledCondition(composition({ schedulingTime: START }, {}), 0)).toEqual([]);
  });
});
