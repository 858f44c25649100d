import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readCatalog } from "../../../src/bundle/catalog/read-catalog.ts";
import type { BundleWatch } from "../../../webhook/bundle-watch/watch-bundle.ts";
import { reviewOf, vm } from "../../support/admission.ts";
import { type Prices, startPriceLists } from "../../support/services/price-lists.ts";
import { runProcess } from "../../support/processes/run-process.ts";
import { type Bench, numbered, openBench } from "../../support/bundles/watched-bundle.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());

/** The catalog's own prices of Azure in Italy, times a factor. */
async function pricesOf(factor: number): Promise<Prices> {
  const { regions = [], types = {} } = (await readCatalog("catalog")).instanceTypes.providers["azure"] ?? {};
  const column = regions.indexOf("italynorth");
  const priced = Object.entries(types).flatMap(([name, { prices }]) => {
    const usd = prices[column] ?? -1;
    return usd > 0 ? [[name, Number((usd * factor).toPrecision(6))] as const] : [];
  });
  return { italynorth: Object.fromEntries(priced) };
}

/** The data image that `landfall catalog refresh` makes of lists with these prices. */
async function refreshed(factor: number): Promise<Buffer> {
  const lists = await startPriceLists({ azure: await pricesOf(factor), aws: {}, gcp: {}, key: "" });
  try {
    const out = join(bench.folder, "prices.tar.gz");
    const args = ["catalog", "refresh", ...lists.flags, "--place", "azure/italynorth", "--out", out];
    expect(await runProcess("bin/landfall.js", args)).toMatchObject({ code: 0, err: "" });
    return await readFile(out);
  } finally {
    await lists.close();
  }
}

/** Whether a machine of Azure in Italy with this limit of price is admitted now. */
async function isAdmitted(watch: BundleWatch, maxPrice: string): Promise<boolean> {
  const decider = await watch.decider();
  if (decider === null) expect.fail("nothing decides");
  const spec = { cpu: 2, memory: 8, provider: "azure", schedulingLocation: "italynorth", maxPrice };
  const { body } = await decider.ask("/mutate", reviewOf(vm(spec)));
  return (JSON.parse(body) as { response: { allowed: boolean } }).response.allowed;
}

it("a running webhook decides by the prices that landfall catalog refresh makes, at its next poll", async () => {
  await bench.push(await numbered(1));
  const first = await bench.push(await refreshed(1.5), true, "prices");
  const { watch } = await bench.watch({ others: [await bench.other("prices", "data")] });
  await watch.poll();
  expect(watch.status().others["prices"]?.active?.digest).toBe(first);
  const dear = await isAdmitted(watch, "0.1");

  const second = await bench.push(await refreshed(0.7), true, "prices");
  await watch.poll();
  expect(watch.status().others["prices"]?.active?.digest).toBe(second);
  expect([dear, await isAdmitted(watch, "0.1")]).toEqual([false, true]);
});
