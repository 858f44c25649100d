import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createManyObjects, type ManyObjects, OBJECTS } from "../support/console/many-objects.ts";
import { openBrowser, openPage } from "../support/console/open-browser.ts";
import { show, violations } from "../support/console/serve-consoles.ts";
import { machineSpeed } from "../support/machine-speed.ts";

/** What one list answers at most, as src/cluster/list-objects.ts asks for. */
const PAGE = 500;

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

it("shows the first rows after one page of the list, and moves nothing when the rest is there", async () => {
  const rest = Promise.withResolvers<undefined>();
  const { address, count, stop } = await many.serve(rest.promise);
  try {
    const { page, faults } = await openPage(browser);
    await page.goto(address);
    const row = page.getByRole("link", { name: "job-00042" });
    await row.waitFor();
    await page.getByText("500 of about 10,000 objects loaded so far").waitFor();
    await page.getByText("1–100 of about 10,000").waitFor();
    expect([count("watch"), await page.getByRole("row").count()]).toEqual([0, 101]);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await row.focus();
    await row.scrollIntoViewIfNeeded();
    const before = await row.boundingBox();
    rest.resolve(undefined);
    await page.getByText("10,000 objects", { exact: true }).waitFor();
    await page.getByText("1–100 of 10,000").waitFor();
    expect(await row.boundingBox()).toEqual(before);
    expect(await page.evaluate("document.activeElement?.textContent")).toBe("job-00042");
    expect([count("list"), count("watch")]).toEqual([OBJECTS / PAGE, 1]);
    expect(faults).toEqual([]);
  } finally {
    rest.resolve(undefined);
    await stop();
  }
});

it("shows 10,000 objects by one list in pages and one watch, and few rows and requests while they change", async () => {
  const { address, count, stop } = await many.serve();
  try {
    const { page, requests, faults, open } = await openPage(browser);
    await page.goto(address);
    const beganAt = performance.now();
    await page.getByRole("link", { name: "job-00000" }).waitFor();
    const first = performance.now() - beganAt;
    await page.getByText("10,000 objects", { exact: true }).waitFor();
    const whole = performance.now() - beganAt;
    expect([count("list"), count("watch")]).toEqual([OBJECTS / PAGE, 1]);
    expect(await page.getByRole("row").count()).toBe(101);
    // While the list is read, the page reads again once a second at most.
    expect(requests.filter((path) => path === "/api/objects").length).toBeLessThanOrEqual(whole / 1000 + 3);

    const again = performance.now();
    await show(page, "/objects?sort=created&order=descending&search=job-099");
    await page.getByText("1–100 of 100").waitFor();
    const second = performance.now() - again;
    expect(count("list")).toBe(OBJECTS / PAGE);

    // One change after the other: the page reads again once a second at most.
    const before = requests.length;
    const since = performance.now();
    for (let at = 0; at < 300; at += 1) {
      await many.change(9900 + (at % 100), String(at));
    }
    const seconds = (performance.now() - since) / 1000;
    expect(requests.length - before).toBeLessThanOrEqual(seconds + 2);
    expect([count("list"), count("watch"), open("/api/changes")]).toEqual([OBJECTS / PAGE, 1, 1]);
    const heap = (await page.evaluate("performance.memory.usedJSHeapSize")) as number;
    process.stdout.write(
      `console: first table of ${String(OBJECTS)} objects ${first.toFixed(0)} ms, all of them ${whole.toFixed(0)} ms, ` +
        `another view ${second.toFixed(0)} ms, ` +
        `JavaScript heap of the tab ${(heap / 2 ** 20).toFixed(0)} MiB after 300 changes in ${seconds.toFixed(0)} s; ` +
        `this machine now makes ${machineSpeed().toFixed(0)} MiB of SHA-256 a second\n`,
    );
    expect(faults).toEqual([]);
  } finally {
    await stop();
  }
});
