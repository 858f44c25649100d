import { afterAll, beforeAll, expect, it } from "vitest";
import { reviewOf, vm } from "../support/admission.ts";
import { type Bench, numbered, openBench } from "../support/bundles/watched-bundle.ts";

/** Minutes of load; a leak of 1 kB per decision is 1 GB in an hour. */
const MINUTES = Number(process.env["LANDFALL_SOAK_MINUTES"] ?? "30");
const DECISIONS_PER_RELOAD = 200;
const MEBIBYTE = 1024 * 1024;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());

const reviews = ["azure", "aws", "gcp", "elemento"].map((provider) => reviewOf(vm({ cpu: 2, memory: 4, provider })));

/** The size of this process, without those that decide, after what a collection can free is free. */
function residentMebibytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss() / MEBIBYTE;
}

it(`decides for ${String(MINUTES)} minutes while bundles are replaced, without an error and without growing`, async () => {
  const bundles = await Promise.all([1, 2, 3].map(numbered));
  const push = (round: number): Promise<string> => bench.push(bundles[round % bundles.length] ?? Buffer.alloc(0));
  await push(0);
  const { watch } = await bench.watch();
  await watch.poll();
  const end = performance.now() + MINUTES * 60_000;
  const sizes: number[] = [];
  let decisions = 0;
  for (let round = 1; performance.now() < end; round += 1) {
    const digest = await push(round);
    const decider = await watch.decider();
    if (decider === null) expect.fail("there is no bundle");
    const asked = Array.from({ length: DECISIONS_PER_RELOAD }, (_, index) =>
      decider.ask("/mutate", reviews[index % reviews.length] ?? ""),
    );
    // The bundle is replaced while they are under way.
    const [answers] = await Promise.all([Promise.all(asked), watch.poll()]);
    expect(answers.filter(({ status, body }) => status !== 200 || !body.includes('"allowed":true'))).toEqual([]);
    expect(watch.status()).toMatchObject({ active: { digest }, quarantined: [], lastError: null });
    decisions += answers.length;
    sizes.push(residentMebibytes());
  }
  // Until the caches and the allocator's pools are full it may grow.
  const quarter = Math.ceil(sizes.length / 4);
  const early = Math.max(...sizes.slice(quarter, 2 * quarter));
  const late = Math.max(...sizes.slice(-quarter));
  console.log(
    `${String(decisions)} decisions, ${String(sizes.length)} reloads; at most ${early.toFixed(0)} MiB in the second quarter, ${late.toFixed(0)} MiB in the last`,
  );
  expect(sizes.length).toBeGreaterThanOrEqual(4);
  expect(late).toBeLessThan(early * 1.15 + 20);
});
