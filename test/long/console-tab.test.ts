// The memory of a tab of the console after a long time of changes.
import type { Browser, CDPSession } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createManyObjects, type ManyObjects, nameAt } from "../support/console/many-objects.ts";
import { openBrowser, openPage } from "../support/console/open-browser.ts";

/** Minutes of changes, one after the other, to the first 100 of 10,000 objects: those that the table shows. */
const MINUTES = Number(process.env["LANDFALL_SOAK_MINUTES"] ?? "30");
/** A busy machine may take long for the first list. */
const LIST_MS = 300_000;
const MEASURES = 12;
/** Of the heap in the second quarter of the time. */
const MOST_GROWTH = 1.2;
const MEBIBYTE = 2 ** 20;

let browser: Browser;
let many: ManyObjects;

beforeAll(async () => {
  browser = await openBrowser();
  many = await createManyObjects();
});

afterAll(async () => {
  await browser.close();
  await many.stop();
});

interface Held {
  heapMiB: number;
  nodes: number;
  listeners: number;
}

/** The heap, nodes and listeners of the tab after a collection has freed what can be freed. */
async function measure(session: CDPSession): Promise<Held> {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (name: string): number => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return {
    heapMiB: Math.round((value("JSHeapUsedSize") / MEBIBYTE) * 10) / 10,
    nodes: value("Nodes"),
    listeners: value("JSEventListeners"),
  };
}

const greatest = (all: readonly Held[], what: keyof Held): number => Math.max(...all.map((held) => held[what]));

it(`holds no more after ${String(MINUTES)} minutes of changes`, async () => {
  const { address, stop } = await many.serve();
  try {
    const { page, faults, requests, open } = await openPage(browser);
    await page.goto(address);
    await page.getByText("10,000 objects", { exact: true }).waitFor({ timeout: LIST_MS });
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    const began = performance.now();
    const held: Held[] = [];
    let changes = 0;
    for (let round = 1; round <= MEASURES; round += 1) {
      while (performance.now() - began < (round / MEASURES) * MINUTES * 60_000) {
        await many.change(changes % 100, String(changes));
        changes += 1;
      }
      held.push(await measure(session));
    }
    const reads = requests.filter((path) => path === "/api/objects").length;
    console.log(`${String(changes)} changes, ${String(reads)} reads of the table: ${JSON.stringify(held)}`);
    await page.getByRole("link", { name: nameAt(0) }).waitFor();
    expect(reads).toBeLessThanOrEqual((performance.now() - began) / 1000 + 10);
    expect([faults, open("/api/changes")]).toEqual([[], 1]);
    const [early, late] = [held.slice(MEASURES / 4, MEASURES / 2), held.slice(-MEASURES / 4)];
    for (const what of ["heapMiB", "nodes", "listeners"] as const)
      expect(greatest(late, what), what).toBeLessThanOrEqual(greatest(early, what) * MOST_GROWTH);
  } finally {
    await stop();
  }
});
