import { describe, expect, it } from "vitest";
import { HourlyCurve } from "../../../src/model/places/intensity.ts";
import type { Segment } from "../../../src/model/runs/pause-rules.ts";
import type { Job } from "../../../src/simulate/job.ts";
import { letsWaitAwhileInterrupting, suspendResume } from "../../../src/simulate/pauses/pause-simply.ts";
import { PausingRun } from "../../../src/simulate/pauses/pausing-run.ts";
import type { World } from "../../../src/simulate/world.ts";
import { candidate, HOUR } from "../placement/requests.ts";

const NOTE = { source: "test", issuedAt: null, until: null };
const rules = { minRunSeconds: HOUR, maxPauses: 2, resumeSeconds: 600 };

const inHours = (segments: readonly Segment[] | undefined): number[][] =>
  (segments ?? []).map(({ start, end }) => [start / HOUR, end / HOUR]);

describe("the published policies that pause", () => {
  const flat = (changes: Record<number, number>): number[] =>
    Array.from({ length: 80 }, (_, hour) => changes[hour] ?? 100 + hour / 100);

  /** Segments in hours of a job of three hours, with these hours as the forecast. */
  const run = (policy: typeof suspendResume, values: number[], fields: Partial<Job> = {}): number[][] => {
    const curve = new HourlyCurve(0, Float64Array.from(values), NOTE);
    const world = { forecast: () => ({ curve }) } as unknown as World;
    const job: Job = {
      ...{ id: "job", arrival: 0, cpu: 2, memory: 4, durationSeconds: 3 * HOUR, deadline: 24 * HOUR },
      ...{ maxLatencyMs: null, origin: "azure/a", dataResidency: [] },
      ...fields,
    };
    const place = candidate("azure/a");
    return inHours(policy(world, [{ job, allowed: [place], atOrigin: place }], rules)[0]?.segments);
  };

  it("Let's Wait Awhile takes the hours with the least intensity, and pays for each resume before it", () => {
    expect(run(letsWaitAwhileInterrupting, flat({ 2: 10, 9: 20, 20: 30, 30: 1 }))).toEqual([
      [2, 3],
      [9 - 1 / 6, 10],
      [20 - 1 / 6, 21],
    ]);
    expect(run(letsWaitAwhileInterrupting, flat({ 2: 10, 3: 20, 9: 30 }), { arrival: 0.5 * HOUR })).toEqual([
      [2, 4],
      [9 - 1 / 6, 10],
    ]);
  });

  it("CarbonScaler's baseline runs below the 30th percentile of the next day, and to the end without slack", () => {
    const green = { 3: 10, 4: 20, 8: 30, 9: 30, 14: 40, 15: 40, 16: 40, 20: 50 };
    expect(run(suspendResume, flat(green))).toEqual([
      [3, 5],
      [8 - 1 / 6, 9],
    ]);
    // Two hours of slack: waits for hours 0 and 1, then runs whatever the intensity.
    expect(run(suspendResume, flat(green), { deadline: 5 * HOUR })).toEqual([[2, 5]]);
  });
});

describe("a run that follows plans", () => {
  it("starts, pauses, resumes and ends as planned, hour by hour", () => {
    const run = new PausingRun(3 * HOUR, rules);
    const plan = [
      { start: HOUR, end: 2 * HOUR },
      { start: 4 * HOUR - 600, end: 6 * HOUR },
    ];
    run.follow(plan, 0, HOUR);
    expect(run).toMatchObject({ state: { is: "waiting" }, workSeconds: 3 * HOUR, pauses: 2 });
    run.follow(plan, HOUR, 2 * HOUR);
    expect(run).toMatchObject({ state: { is: "running", seconds: HOUR }, workSeconds: 2 * HOUR, pauses: 2 });
    run.follow(plan.slice(1), 2 * HOUR, 3 * HOUR);
    expect(run).toMatchObject({ state: { is: "paused" }, pauses: 1 });
    run.follow(plan.slice(1), 3 * HOUR, 4 * HOUR);
    expect(run).toMatchObject({ state: { is: "running", seconds: 0 }, workSeconds: 2 * HOUR, busyUntil: 4 * HOUR });
    run.follow([{ start: 4 * HOUR, end: 6 * HOUR }], 4 * HOUR, 5 * HOUR);
    run.follow([{ start: 5 * HOUR, end: 6 * HOUR }], 5 * HOUR, 6 * HOUR);
    expect(run.done).toBe(true);
    expect(inHours(run.on)).toEqual(inHours(plan));
  });
});
