import { expect, it } from "vitest";
import {
  type Admitted,
  planRollout,
  type RolloutObject,
  type RolloutSettings,
} from "../../../../src/composition/rollout/plan-rollout.ts";
import { readSettings } from "../../../../src/composition/rollout/read-settings.ts";

const NOW = 1_800_000_000;
const SETTINGS: RolloutSettings = { perMinute: 10, paused: "", failures: 1 };

const object = (uid: string, more: Partial<RolloutObject> = {}): RolloutObject => ({
  ...{ uid, isMoved: false, isDone: more.isMoved ?? false, isReady: true, isFailed: false },
  ...more,
});
const many = (count: number): RolloutObject[] => Array.from({ length: count }, (_, index) => object(`o${index}`));
const at = (seconds: number, wasReady = true): Admitted => ({ at: NOW - seconds, wasReady });

const plan = (objects: RolloutObject[], admitted: [string, Admitted][] = [], settings: Partial<RolloutSettings> = {}) =>
  planRollout(objects, new Map(admitted), { ...SETTINGS, ...settings }, NOW);

it("begins with one ready object, and waits for it", () => {
  const [first, ...others] = [object("broken", { isReady: false, isFailed: true }), ...many(20)];
  expect(plan([first, ...others] as RolloutObject[])).toMatchObject({ state: "Progressing", next: ["o0"] });
  const underway = others.map((one) =>
    one.uid === "o0" ? { ...one, isMoved: true, isDone: true, isReady: false } : one,
  );
  expect(plan(underway, [["o0", at(5)]]).next).toEqual([]);
});

it("does not take the readiness from before the upgrade for that of the new version", () => {
  const objects = many(5).map((one, index) => (index === 0 ? { ...one, isMoved: true, isDone: false } : one));
  expect(plan(objects, [["o0", at(1)]]).next).toEqual([]);
  // Another process let it through.
  expect(plan(objects).next).toEqual([]);
  const done = objects.map((one, index) => (index === 0 ? { ...one, isDone: true } : one));
  expect(plan(done, [["o0", at(1)]]).next).toEqual(["o1", "o2", "o3", "o4"]);
});

it("continues with as many as a minute allows once one is ready, and with no more underway", () => {
  const objects = many(40).map((one, index) => ({ ...one, isMoved: index < 1, isDone: index < 1 }));
  expect(plan(objects, [["o0", at(30)]]).next).toHaveLength(9);
  expect(plan(objects, [["o0", at(90)]]).next).toHaveLength(10);
  const slow = objects.map((one, index) =>
    index > 0 && index < 9 ? { ...one, isMoved: true, isDone: true, isReady: false } : one,
  );
  const admitted = slow.slice(0, 9).map(({ uid }): [string, Admitted] => [uid, at(90)]);
  expect(plan(slow, admitted).next).toHaveLength(2);
});

it("stops when one that was ready fails, immediately or by not becoming ready", () => {
  const failing = many(5).map((one, index) =>
    index === 0 ? { ...one, isMoved: true, isDone: true, isReady: false } : one,
  );
  const failed = failing.map((one, index) => (index === 0 ? { ...one, isFailed: true } : one));
  expect(plan(failed, [["o0", at(5)]])).toMatchObject({ state: "Stopped", failed: ["o0"], next: [] });
  expect(plan(failed, [["o0", at(5)]], { failures: 2 })).toMatchObject({ state: "Progressing", failed: ["o0"] });
  expect(plan(failing, [["o0", at(601)]])).toMatchObject({ state: "Stopped", failed: ["o0"] });
  // An earlier process let it through.
  expect(plan(failed)).toMatchObject({ state: "Stopped", failed: ["o0"] });
});

it("is not stopped by one that failed before", () => {
  const objects = many(5).map((one, index) =>
    index === 0 ? { ...one, isMoved: true, isDone: true, isReady: false, isFailed: true } : one,
  );
  expect(plan(objects, [["o0", at(5, false)]])).toMatchObject({ state: "Progressing", failed: [], next: ["o1"] });
});

it("is complete when all have it, also if one of them fails, and paused for a reason", () => {
  const moved = many(3).map((one) => ({ ...one, isMoved: true, isDone: true }));
  expect(plan(moved)).toMatchObject({ state: "Complete", moved: 3, total: 3 });
  expect(plan([])).toMatchObject({ state: "Complete" });
  expect(plan(many(3), [], { paused: "freeze" })).toMatchObject({ state: "Paused", next: [] });
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
