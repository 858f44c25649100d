import { describe, expect, it } from "vitest";
import { createServerClock } from "../../../../../src/cluster/server-clock.ts";
import { nextRunStep } from "../../../../../src/composition/run/state/next-run-step.ts";
import { planOf } from "../../../../../src/composition/run/state/run-plan.ts";

const AT = Date.parse("2026-11-22T12:00:00Z");
const DAY_MS = 86_400_000;
const header = (ms: number): string => new Date(ms).toUTCString();

/** A clock and the time that passes: `answer` is one of a server whose clock is so many ms ahead. */
function world(localAheadMs?: number) {
  let elapsed = 0;
  const local = localAheadMs === undefined ? [] : [() => AT + elapsed + localAheadMs];
  const clock = createServerClock(() => elapsed, ...local);
  const pass = (ms: number): void => void (elapsed += ms);
  const answer = (aheadMs = 0): void => {
    clock.saw(header(AT + elapsed + aheadMs));
  };
  const ahead = (): number => (clock.nowSeconds() ?? NaN) - (AT + elapsed) / 1000;
  return { clock, pass, answer, ahead };
}

const day = DAY_MS / 1000;

describe("41: one server with a fast clock", () => {
  it("does not move the time with one answer, and so ends no run", () => {
    const { clock, pass, answer, ahead } = world();
    answer();
    const startedAt = clock.nowSeconds() ?? NaN;
    const plan = planOf({ duration: "1h", maxLifetime: "2h", whenDone: "delete" }, 10);
    pass(1000);
    answer(DAY_MS);
    expect(ahead()).toBe(0);
    expect(
      nextRunStep(plan, { startedAt, end: null, removedAt: null }, null, clock.nowSeconds() ?? NaN).found,
    ).toBeNull();
    pass(3_600_000);
    answer();
    expect(
      nextRunStep(plan, { startedAt, end: null, removedAt: null }, null, clock.nowSeconds() ?? NaN).found,
    ).not.toBeNull();
  });

  it.each([
    ["every second one", (index: number) => index % 2 === 1],
    ["every third one, and the one after", (index: number) => index % 3 > 0],
    ["a burst in one second", (index: number) => index > 0 && index < 60],
  ])("does not move it while others answer with the right time: %s", (_, isFast) => {
    const { pass, answer, ahead } = world();
    for (let index = 0; index < 300; index++) {
      answer(isFast(index) ? DAY_MS : 0);
      pass(isFast(index) && isFast(index + 1) ? 20 : 1000);
      expect(Math.abs(ahead())).toBeLessThan(2);
    }
  });

  it("does not move it with answers that are each another time ahead", () => {
    const { pass, answer, ahead } = world();
    answer();
    for (let index = 1; index < 100; index++) {
      pass(1000);
      answer(DAY_MS * index);
      expect(ahead()).toBe(0);
    }
  });

  it("does not move it step by step", () => {
    const { pass, answer, ahead } = world();
    answer();
    for (let index = 1; index <= 50; index++) {
      pass(100);
      answer(1500 * index);
      pass(100);
      answer();
    }
    expect(ahead()).toBeLessThan(2);
  });

  it("is followed if every answer agrees for some seconds, and left again with the first right one", () => {
    const { pass, answer, ahead } = world();
    answer();
    for (let index = 0; index < 31; index++) {
      expect(ahead()).toBe(0);
      pass(1000);
      answer(DAY_MS);
    }
    expect(ahead()).toBe(day);
    pass(1000);
    answer();
    expect(ahead()).toBe(0);
  });

  it("does not give the time to a controller that starts, unless this machine's clock agrees", () => {
    for (const localAheadMs of [0, -3_600_000]) {
      const { clock, pass, answer, ahead } = world(localAheadMs);
      answer(DAY_MS);
      expect(clock.nowSeconds()).toBeNull();
      pass(1000);
      answer(localAheadMs === 0 ? 0 : DAY_MS);
      if (localAheadMs === 0) expect(ahead()).toBe(0);
      else expect(clock.nowSeconds()).toBeNull();
    }
    const { answer, ahead } = world(DAY_MS);
    answer(DAY_MS);
    expect(ahead()).toBe(day);
  });

  it.each([-3_600_000, 3_600_000])("is right after some seconds where this machine's clock is off by %d ms", (off) => {
    const { answer, pass, ahead } = world(off);
    for (let index = 0; index <= 5; index++) {
      answer();
      pass(1000);
    }
    expect(ahead()).toBe(0);
  });

  it("is not waited for where this machine's clock agrees: after a machine slept, or was behind at the start", () => {
    const { pass, answer, ahead } = world(7_200_000);
    answer();
    pass(1000);
    answer(7_200_000);
    expect(ahead()).toBe(7200);
  });
});
