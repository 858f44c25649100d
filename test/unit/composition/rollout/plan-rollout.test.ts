import { expect, it } from "vitest";
import type { Admitted, RolloutProgress } from "../../../../src/composition/record/open-rollouts.ts";
import {
  followed,
  planRollout,
  type RolloutObject,
  type RolloutSettings,
} from "../../../../src/composition/rollout/plan-rollout.ts";
import { readSettings } from "../../../../src/composition/rollout/read-settings.ts";

const NOW = 1_800_000_000;
const SETTINGS: RolloutSettings = { perMinute: 10, paused: "", failures: 1 };

const object = (uid: string, more: Partial<RolloutObject> = {}): RolloutObject => ({
  ...{ uid, namespace: "shop", name: uid, isDone: false, isReady: true, isFailed: false, isPaused: false },
  ...more,
});
const many = (count: number): RolloutObject[] => Array.from({ length: count }, (_, index) => object(`o${index}`));
const first = (objects: RolloutObject[], more: Partial<RolloutObject>): RolloutObject[] =>
  objects.map((one, index) => (index === 0 ? { ...one, ...more } : one));
const at = (seconds: number, wasReady = true): Admitted => ({ at: NOW - seconds, wasReady });

/** The plan, and what follows of the objects that were let through. */
function plan(
  objects: RolloutObject[],
  admitted: [string, Admitted][] = [],
  { isProven = false, ...settings }: Partial<RolloutSettings & RolloutProgress> = {},
) {
  const progress = followed(objects, { admitted: new Map(admitted), failed: new Map(), isProven }, NOW);
  const { failed, ...made } = planRollout({
    ...{ objects, progress, settings: { ...SETTINGS, ...settings }, isPartial: false, now: NOW },
  });
  return { ...made, failed: failed.map(({ name }) => name) };
}

it("begins with one ready object, and waits for it", () => {
  const others = many(20);
  expect(plan([object("broken", { isReady: false, isFailed: true }), ...others])).toMatchObject({
    ...{ state: "Progressing", next: ["o0"] },
  });
  expect(plan(first(others, { isDone: true, isReady: false }), [["o0", at(5)]]).next).toEqual([]);
});

it("does not take the readiness from before the upgrade for that of the new version", () => {
  expect(plan(many(5), [["o0", at(1)]]).next).toEqual([]);
  expect(plan(first(many(5), { isDone: true }), [["o0", at(1)]]).next).toEqual(["o1", "o2", "o3", "o4"]);
});

it("continues with as many as a minute allows once one is ready, and with no more underway", () => {
  const objects = first(many(40), { isDone: true });
  expect(plan(objects, [["o0", at(30)]]).next).toHaveLength(9);
  expect(plan(objects, [["o0", at(90)]]).next).toHaveLength(10);
  const slow = objects.map((one, index) => (index > 0 && index < 9 ? { ...one, isDone: true, isReady: false } : one));
  const admitted = slow.slice(0, 9).map(({ uid }): [string, Admitted] => [uid, at(90)]);
  expect(plan(slow, admitted).next).toHaveLength(2);
});

it("stops when one that was ready fails, immediately or by not becoming ready", () => {
  const failing = first(many(5), { isDone: true, isReady: false });
  const failed = first(failing, { isFailed: true });
  expect(plan(failed, [["o0", at(5)]])).toMatchObject({ state: "Stopped", failed: ["o0"], next: [] });
  expect(plan(failing, [["o0", at(601)]])).toMatchObject({ state: "Stopped", failed: ["o0"] });
  // Another one is tried alone.
  expect(plan(failed, [["o0", at(65)]], { failures: 2 })).toMatchObject({ state: "Progressing", next: ["o1"] });
  const paused = first(failing, { isPaused: true });
  expect(plan(paused, [["o0", at(601)]])).toMatchObject({ state: "Progressing", failed: [] });
});

it("is not stopped by one that failed before", () => {
  const objects = first(many(5), { isDone: true, isReady: false, isFailed: true });
  expect(plan(objects, [["o0", at(5, false)]])).toMatchObject({ state: "Progressing", failed: [], next: ["o1"] });
});

it("is complete when all have it, also if one of them fails, and paused for a reason", () => {
  const moved = many(3).map((one) => ({ ...one, isDone: true }));
  expect(plan(moved)).toMatchObject({ state: "Complete", moved: 3, total: 3 });
  expect(plan([])).toMatchObject({ state: "Complete" });
  expect(plan(many(3), [], { paused: "freeze" })).toMatchObject({ state: "Paused", next: [] });
  expect(plan(many(1).map((one) => ({ ...one, isPaused: true })))).toMatchObject({ state: "Complete", total: 0 });
});

it("reads the annotations, and says what is wrong with them", () => {
  expect(readSettings({})).toEqual({ perMinute: 30, failures: 1, paused: "", problems: [] });
  const given = { "landfall.dev/rollout-per-minute": "5", "landfall.dev/rollout-failures": "3" };
  expect(readSettings({ ...given, "landfall.dev/rollout-paused": " freeze " })).toEqual({
    ...{ perMinute: 5, failures: 3, paused: "freeze", problems: [] },
  });
  for (const wrong of ["0", "-1", "many", "1001", "2.5", ""])
    expect(readSettings({ "landfall.dev/rollout-per-minute": wrong }), wrong).toMatchObject({
      perMinute: 30,
      problems: ["landfall.dev/rollout-per-minute is not a whole number from 1 to 1000: 30 counts"],
    });
});
