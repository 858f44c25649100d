import { expect, test } from "vitest";
import { LIST_LAG_MS } from "../../../src/elemento/api/inferred.ts";
import { attemptKey, begun, isPending, openAttempts, over } from "../../../src/elemento/step/pending.ts";

const KEY = attemptKey("machine", "web");
const START = Date.parse("2026-11-21T08:00:00.000Z");
const attempted = { [KEY]: begun(START) };

test("counts an attempt as pending while lists may lag", () => {
  const moment = { startedAt: START - 60_000, listedAt: START + LIST_LAG_MS - 1 };
  expect(isPending(KEY, attempted, moment)).toBe(true);
  expect(isPending(KEY, attempted, { ...moment, listedAt: START + LIST_LAG_MS })).toBe(false);
});

test("removes an attempt whose result is listed", () => {
  expect(openAttempts(attempted, [KEY], { startedAt: 0, listedAt: START })).toEqual({});
});

test("assumes that a crashed operator's call was sent as late as the next start", () => {
  const startedAt = START + 10_000;
  expect(isPending(KEY, attempted, { startedAt, listedAt: startedAt + LIST_LAG_MS - 1 })).toBe(true);
  expect(isPending(KEY, attempted, { startedAt, listedAt: startedAt + LIST_LAG_MS })).toBe(false);
});

test("stops waiting even if operators crash repeatedly before lists catch up", () => {
  let attempts: Record<string, string> = attempted;
  let lives = 0;
  // Each lives for half of the lag, and looks once.
  for (let startedAt = START + 500; KEY in attempts; startedAt += LIST_LAG_MS / 2) {
    attempts = openAttempts(attempts, [], { startedAt, listedAt: startedAt + 100 });
    lives += 1;
  }
  expect(lives).toBe(3);
});

test("does not wait for a completed call, in any process", () => {
  const attempts = { [KEY]: over(START) };
  const startedAt = START + 60_000;
  expect(isPending(KEY, attempts, { startedAt, listedAt: startedAt })).toBe(false);
  expect(Date.parse(over(START))).toBe(START);
});
