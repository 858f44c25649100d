import { describe, expect, it } from "vitest";
import { pauseMs, startPolling } from "../../../src/bundle/follow/poll.ts";

describe("the pause between two polls", () => {
  const options = { seconds: 30, jitter: 0.2 };
  it.each([
    ["is the usual one", { random: 0.5, failures: 0, busy: 0 }, 30_000],
    ["is shorter by chance", { random: 0, failures: 0, busy: 0 }, 24_000],
    ["is longer by chance", { random: 1, failures: 0, busy: 0 }, 36_000],
    ["begins short after a failure", { random: 0.5, failures: 1, busy: 0 }, 500],
    ["doubles with each", { random: 0.5, failures: 3, busy: 0 }, 2000],
    ["never passes the usual one", { random: 0.5, failures: 20, busy: 0 }, 30_000],
    ["is what the registry asks for", { random: 0.5, failures: 1, busy: 60 }, 60_000],
  ])("%s", (_, { random, failures, busy }, expected) => {
    expect(pauseMs({ ...options, random: () => random }, failures, busy)).toBeCloseTo(expected);
  });
});

describe("polling", () => {
  it("polls one at a time, once more for requests during a poll, and not after a stop", async () => {
    let polls = 0;
    let underway = 0;
    const options = { seconds: 0.01, jitter: 0, random: () => 0.5 };
    const poller = startPolling(options, async () => {
      polls += 1;
      underway += 1;
      expect(underway).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      underway -= 1;
      return { ok: true };
    });
    await Promise.all([poller.now(), poller.now(), poller.now()]);
    expect(polls).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(polls).toBeGreaterThan(2);
    poller.stop();
    const then = polls;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(polls).toBeLessThanOrEqual(then + 1);
  });
});
