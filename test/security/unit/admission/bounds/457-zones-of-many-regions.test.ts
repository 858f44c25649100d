// 457: for a zone whose name all regions of Azure have, the rules looked at all types in each of them: 150 ms for an object of 350 bytes.
import { expect, it } from "vitest";
import type { PolicyInput } from "../../../../../src/model/policy.ts";
import { PROBE } from "../../../../../src/policy/module/probe.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

const inputOf = (cpu: number, zone: string | null, annotations: Record<string, string>): PolicyInput => ({
  ...PROBE,
  spec: { cpu, memory: 8 },
  namespace: { ...PROBE.namespace, annotations },
  request: { ...PROBE.request, cpu, memoryGiB: 8, pin: { ...PROBE.request.pin, zone } },
});

/** Processor time of the fastest of a few evaluations, in ms: other work of the machine and the collector slow down single ones. */
function fastest(zone: string | null, annotations: Record<string, string>): number {
  const times = [2, 4, 6, 8, 10].map((cpu) => {
    const before = process.threadCpuUsage();
    policy.evaluate(inputOf(cpu, zone, annotations));
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

it.each([
  ["of any family", {}],
  ["of the families of a namespace", { "landfall.dev/families": "general,compute,memory" }],
])("457: a machine %s in a zone of many regions takes a few times as long as without it", (_, annotations) => {
  const zoned = policy.evaluate(inputOf(2, "1", annotations)).candidates;
  expect(new Set(zoned.map(({ place }) => place)).size).toBeGreaterThan(20);
  expect(fastest("1", annotations)).toBeLessThan(10 * fastest(null, annotations) + 5);
});

it("457: a size that no type has takes no longer in a zone", () => {
  const before = process.threadCpuUsage();
  expect(policy.evaluate(inputOf(2000, "1", {})).candidates).toEqual([]);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(50);
});
