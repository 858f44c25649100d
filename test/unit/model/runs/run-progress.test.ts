import { describe, expect, it } from "vitest";
import { partsOf, progressAt } from "../../../../src/model/runs/run-times.ts";
import type { RunTimes } from "../../../../src/model/pausing-times.ts";

const HOUR = 3600;
const RESUME = 600;
/** Four hours of work: one, a pause of three hours, then three. */
const TIMES: RunTimes = {
  startedAt: HOUR,
  plan: { duration: 4 * HOUR, pauses: [{ from: 2 * HOUR, to: 5 * HOUR }], resume: RESUME },
};
const END = 8 * HOUR + RESUME;

describe("how far a run is", () => {
  it("has parts from its start to its end, with a resume in each but the first", () => {
    expect(partsOf(TIMES)).toEqual([
      { start: HOUR, end: 2 * HOUR },
      { start: 5 * HOUR, end: END },
    ]);
    expect(partsOf({ ...TIMES, plan: { duration: null } })).toBeNull();
  });

  it("counts work, and neither pauses nor resumes", () => {
    expect(progressAt(TIMES, 1.5 * HOUR)).toEqual({
      ...{ state: { is: "running", seconds: 0.5 * HOUR }, workSeconds: 3.5 * HOUR, pauses: 0 },
      done: [{ start: HOUR, end: 1.5 * HOUR }],
      rest: [
        { start: 1.5 * HOUR, end: 2 * HOUR },
        { start: 5 * HOUR, end: END },
      ],
    });
    expect(progressAt(TIMES, 3 * HOUR)).toEqual({
      ...{ state: { is: "paused" }, workSeconds: 3 * HOUR, pauses: 1 },
      ...{ done: [{ start: HOUR, end: 2 * HOUR }], rest: [{ start: 5 * HOUR, end: END }] },
    });
    expect(progressAt(TIMES, 7 * HOUR)).toMatchObject({
      ...{ state: { is: "running", seconds: 2 * HOUR - RESUME }, workSeconds: HOUR + RESUME, pauses: 1 },
      rest: [{ start: 7 * HOUR, end: END }],
    });
  });

  it.each([
    ["before it starts", 0],
    ["as it starts", HOUR + 59],
    ["just before a pause", 2 * HOUR - 59],
    ["just after the pause began", 2 * HOUR + 59],
    ["just before it continues", 5 * HOUR - 1],
    ["while it resumes", 5 * HOUR + RESUME - 1],
    ["just before its end", END - 30],
    ["after its end", END + 1000],
  ])("says nothing %s", (_when, now) => {
    expect(progressAt(TIMES, now)).toBeNull();
  });

  it("leaves out a pause that should have begun before a late start", () => {
    expect(progressAt({ ...TIMES, startedAt: 3 * HOUR }, 4 * HOUR)).toMatchObject({ pauses: 0, workSeconds: 3 * HOUR });
  });
});
