// 457: for a zone whose name all regions of Azure have, the rules looked at all types in each of them: 150 ms for an object of 350 bytes.
import { expect, it } from "vitest";
import type { PolicyInput } from "../../../../../src/model/policy.ts";
import { PROBE } from "../../../../../src/policy/module/probe.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

/** It is about 1; with all types of all regions it was above 70. */
const RATIO = 5;

const inputOf = (cpu: number, zone: string | null, annotations: Record<string, string>): PolicyInput => ({
  ...PROBE,
  spec: { cpu, memory: 8 },
  namespace: { ...PROBE.namespace, annotations },
  request: { ...PROBE.request, cpu, memoryGiB: 8, pin: { ...PROBE.request.pin, zone } },
});

/** In ms; processor time is counted in steps that can be longer than an evaluation. */
function timeOf(input: PolicyInput): number {
  const before = performance.now();
  policy.evaluate(input);
  return performance.now() - before;
}

/**
 * How many times as long an evaluation takes in the zone as without it. Both are measured in turns, and the fastest of each counts: a slow machine slows down
 * both, and the collector or other work single ones.
 */
function ratioOf(sizes: readonly number[], annotations: Record<string, string>): number {
  const times = sizes.map((cpu) => ({
    zoned: timeOf(inputOf(cpu, "1", annotations)),
    free: timeOf(inputOf(cpu, null, annotations)),
  }));
  return Math.min(...times.map(({ zoned }) => zoned)) / Math.min(...times.map(({ free }) => free));
}

it.each([
  ["of any family", {}],
  ["of the families of a namespace", { "landfall.dev/families": "general,compute,memory" }],
])("457: a machine %s in a zone of many regions takes a few times as long as without it", (_, annotations) => {
  const zoned = policy.evaluate(inputOf(2, "1", annotations)).candidates;
  expect(new Set(zoned.map(({ place }) => place)).size).toBeGreaterThan(20);
  expect(ratioOf([2, 4, 6, 8, 10, 12, 14, 16], annotations)).toBeLessThan(RATIO);
});

it("457: a size that no type has takes no longer in a zone", () => {
  expect(policy.evaluate(inputOf(2000, "1", {})).candidates).toEqual([]);
  expect(ratioOf([2002, 2004, 2006, 2008, 2010, 2012, 2014, 2016], {})).toBeLessThan(RATIO);
});
