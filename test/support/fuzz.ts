import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect } from "vitest";
import { FUZZ_SEED } from "./mutate.ts";
import { SCALE } from "./scale.ts";

/** 500 in `npm test`, 10,000 in `npm run test:long`. */
export const CASES = SCALE >= 10 ? 10_000 : 500 * SCALE;

/** Heap that may remain of all cases, in bytes: caches fill at first. */
const FLAT = 32 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** zlib's handles are freed in a turn of the event loop after they were collected. */
async function heapUsed(): Promise<number> {
  for (let round = 0; round < 2; round += 1) {
    collect();
    await sleep(20);
  }
  return process.memoryUsage().heapUsed;
}

/** Runs a property on many cases, prints its seed, and checks that memory does not grow. */
export async function fuzz<T>(
  name: string,
  arbitrary: fc.Arbitrary<T>,
  holds: (value: T) => void | Promise<void>,
): Promise<void> {
  process.stdout.write(`fuzzing ${name}: ${String(CASES)} cases, LANDFALL_FUZZ_SEED=${String(FUZZ_SEED)}\n`);
  let cases = 0;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    cases += 1;
    if (cases % 100 === 0) await breathe();
    await holds(value);
  });
  await fc.assert(property, { numRuns: Math.ceil(CASES / 5), seed: FUZZ_SEED, endOnFailure: true });
  const before = await heapUsed();
  await fc.assert(property, { numRuns: Math.ceil((CASES * 4) / 5), seed: FUZZ_SEED + 1, endOnFailure: true });
  expect((await heapUsed()) - before).toBeLessThan(FLAT);
}
