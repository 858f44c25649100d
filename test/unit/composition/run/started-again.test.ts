import { describe, expect, it } from "vitest";
import { powerOf } from "../../../../src/composition/report/run-values.ts";
import { noteReady } from "../../../../src/composition/run/follow/note-ready.ts";
import type { FollowedRun } from "../../../../src/composition/run/follow/follow-run.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import { google, HOUR, objectOf, oneRun, pausing, recordOf, START } from "../../../support/composition/one-run.ts";
import { seenOf } from "../../../support/composition/seen-of.ts";

const READY = { type: "Ready", status: "True", reason: "Available", message: "" } as const;
const powerIn = (run: FollowedRun | null) => run && powerOf(run).powerState;
const ended = (by: "time" | "provider" | "annotation"): Partial<RunRecord> => ({
  end: { at: START + HOUR, by, outcome: "unknown" },
  wasReady: by !== "annotation",
});
const second = { [ANNOTATION.run]: "2" };

/** Runs that left a machine that is off, and how their object asks for the next one. */
const CASES: [string, { before: object; record: Partial<RunRecord>; object: Resource }][] = [
  ...(["stop", "delete", "keep"] as const).map((whenDone): (typeof CASES)[number] => [
    `stopped at its end, then whenDone: ${whenDone}`,
    {
      before: { duration: "1h", whenDone: "stop" },
      record: ended("time"),
      object: objectOf({ duration: "1h", whenDone }, second),
    },
  ]),
  [
    "kept, and its work ended with poweroff",
    { before: { duration: "1h" }, record: ended("provider"), object: objectOf({ duration: "1h" }, second) },
  ],
  [
    "kept, and reported in a planned pause",
    {
      before: { duration: "3h", interruptible: {} },
      record: ended("annotation"),
      object: pausing(
        { duration: "3h", interruptible: {} },
        [
          [0, 1],
          [3, 5.2],
        ],
        second,
      ),
    },
  ],
];

describe("another run on a machine that is off", () => {
  it.each(CASES)("starts it: %s", async (_what, { before, record, object }) => {
    const { known, context, follow } = oneRun({
      record: recordOf({ ...before }, record),
      machine: google("TERMINATED"),
    });
    expect(powerIn(await follow(object, 2))).toBe("on");
    const run = await follow(object, 2.01);
    expect(run?.step.do).toBe("run");
    await noteReady(context, object, run, seenOf(context, READY));
    expect(powerIn(await follow(object, 2.02)), "it is not seen to be on yet").toBe("on");
    known.machine = google("RUNNING");
    await noteReady(context, object, await follow(object, 2.03), seenOf(context, READY));
    expect(powerIn(await follow(object, 2.04))).toBeUndefined();
  });

  it.each(CASES)("is over when the machine shuts itself down, and leaves it off: %s", async (_what, given) => {
    const { known, context, follow } = oneRun({
      ...{ record: recordOf({ ...given.before }, given.record), machine: google("TERMINATED") },
    });
    await follow(given.object, 2);
    known.machine = google("RUNNING");
    await noteReady(context, given.object, await follow(given.object, 2.01), seenOf(context, READY));
    known.machine = google("TERMINATED");
    const run = await follow(given.object, 2.5);
    expect(run?.record).toMatchObject({ run: "2", end: { by: "provider" } });
    expect(powerIn(run)).not.toBe("on");
  });
});

it.each<[string, Partial<RunRecord>]>([
  ["after an eviction", { evictions: { count: 1, waiting: false } }],
  [
    "after a planned pause",
    { plan: { ...recordOf({ duration: "3h" }).plan, pauses: [{ from: START + 1, to: START + 60 }] } },
  ],
])("a machine that was started again is left as it is when it was seen to be on: %s", async (_what, more) => {
  const object = objectOf({ duration: "3h" });
  const waits = oneRun({ record: recordOf({ duration: "3h" }, more), machine: google("RUNNING") });
  expect(powerIn(await waits.follow(object, 0.5))).toBe("on");
  const runs = oneRun({
    record: recordOf({ duration: "3h" }, { ...more, wasReady: true }),
    machine: google("RUNNING"),
  });
  expect(powerIn(await runs.follow(object, 0.5))).toBeUndefined();
});
