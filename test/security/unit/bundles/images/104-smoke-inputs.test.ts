import { describe, expect, it } from "vitest";
import type { LoadedBundles } from "../../../../../src/policy/load-bundles.ts";
import type { LoadedBundle } from "../../../../../src/policy/loaded-bundle.ts";
import { runSmoke } from "../../../../../webhook/decisions/process/run-smoke.ts";
import { smokeAll } from "../../../../../webhook/decisions/process/smoke-all.ts";

const smokeCase = { name: "one", spec: { cpu: 2 }, allowed: true };
const smoke = (count: number): object => ({ smoke: { cases: Array.from({ length: count }, () => smokeCase) } });
const named = (ref: string): LoadedBundle => ({ ref, others: [] }) as unknown as LoadedBundle;

/** Takes so much processor time (ms). */
function burn(ms: number): void {
  const began = process.threadCpuUsage();
  for (let used = process.threadCpuUsage(began); (used.user + used.system) / 1000 < ms;)
    used = process.threadCpuUsage(began);
}

/** A set of two teams with these packages; each answer with a team's rules takes so much processor time (ms). */
function run(custom: Record<string, object>, teamMs: Record<string, number> = {}, slowMs = 50) {
  const asked: Record<string, number> = {};
  const team = (name: string, data: object) => ({
    name,
    ref: name,
    data: { landfall: { custom: data } },
    bundle: named(name),
  });
  const loaded = {
    ...{ platform: named("platform"), bundle: named("all"), data: { landfall: smoke(3) } },
    teams: [team("security", custom), team("other", {})],
  } as unknown as LoadedBundles;
  const answersOf =
    ({ ref }: LoadedBundle) =>
    () => {
      asked[ref] = (asked[ref] ?? 0) + 1;
      burn(teamMs[ref] ?? 0);
      return { body: "", log: { allowed: true } };
    };
  const work = (): unknown =>
    smokeAll(loaded, "platform", answersOf as unknown as Parameters<typeof smokeAll>[2], slowMs);
  return { work, asked };
}

const failure = (code: string, ref: string): Error =>
  expect.objectContaining({ code, params: expect.objectContaining({ ref }) as object }) as Error;

describe("104: smoke inputs of a team", () => {
  it("run once each, up to 100", () => {
    const { work, asked } = run({ security: smoke(60), more: smoke(40) });
    expect(work()).toMatchObject({ smoke: { cases: 103 } });
    // The platform's three are measured with the team's rules as well.
    expect(asked).toEqual({ platform: 15, security: 115, other: 15, all: 15 });
  });

  it.each([{ security: smoke(101) }, { security: smoke(60), more: smoke(41) }, { security: smoke(20_000) }])(
    "above 100 are refused before any runs",
    (custom) => {
      const { work, asked } = run(custom);
      expect(work).toThrow(failure("BUNDLE_LIMIT", "security"));
      expect(asked["security"]).toBeUndefined();
    },
  );

  it("that take more processor time than their budget are refused in the team's name", () => {
    const { work, asked } = run({ security: smoke(100) }, { security: 5 }, 1);
    expect(work).toThrow(failure("BUNDLE_SLOW", "security"));
    expect(asked["security"]).toBeLessThanOrEqual(21);
  });

  it("of the platform that take long with one team's rules are that team's", () => {
    const { work } = run({}, { other: 12 }, 1);
    expect(work).toThrow(failure("BUNDLE_SLOW", "other"));
  });
});

describe("the time of smoke inputs", () => {
  /** Milliseconds of processor time that each further answer takes; the last one again and again. */
  const timed = (times: readonly number[], limitMs?: number): { medianMs: number; answers: number } => {
    let answers = 0;
    const { medianMs } = runSmoke(
      [{ ...smokeCase, kind: "VmTemplate", code: null }],
      { ref: "platform", limitMs },
      () => {
        burn(times[Math.min(answers, times.length - 1)] ?? 0);
        answers += 1;
        return { status: 200, body: "", log: { allowed: true } };
      },
    );
    return { medianMs, answers };
  };

  it("is the least of five answers: a busy machine does not make a bundle slow", () => {
    const { medianMs, answers } = timed([60, 60, 60, 0, 60], 30);
    expect(answers).toBe(5);
    expect(medianMs).toBeLessThan(30);
  });

  it("is measured again while it is above the limit", () => {
    const { medianMs, answers } = timed([60, 60, 60, 60, 60, 60, 0], 30);
    expect(answers).toBe(7);
    expect(medianMs).toBeLessThan(30);
  });

  it("stays above the limit for a slow bundle, after at most 20 answers", () => {
    const { medianMs, answers } = timed([4], 2);
    expect(answers).toBe(20);
    expect(medianMs).toBeGreaterThanOrEqual(4);
  });
});
