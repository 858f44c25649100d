import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { admit } from "../../src/admission/admit.ts";
import { builtPages } from "../../src/console/pages/built-pages.ts";
import { type RunningConsole, startConsole } from "../../src/console/start-console.ts";
import { projectPath } from "../../src/local/processes/project-path.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { formatTime, HOUR_SECONDS, nowSeconds } from "../../src/model/time.ts";
import { context, create, patched, vm } from "../support/admission.ts";
import { openBrowser } from "../support/console/open-browser.ts";
import { show, signInTo, violationsInBoth } from "../support/console/serve-consoles.ts";
import { loadPolicy, policyTarballs } from "../support/load-policy.ts";

const PHONE = { width: 390, height: 844 };
/** The longest name that a namespace may have. */
const LONG = "team-of-the-department-for-very-long-names-in-production-eu-001";
const NOW = nowSeconds();
const at = (hours: number): string => formatTime(NOW + hours * HOUR_SECONDS);
const REFUSAL = "VirtualMachine broken: SkuNotAvailable: the size Standard_D2s_v5 is not available in italynorth";
const KEPT = "over since yesterday and still there: 0.61 USD since then; delete the object, or set whenDone";

let browser: Browser;
let running: RunningConsole;

const condition = (type: string, reason: string, message: string, status = "True") => ({
  ...{ type, status, reason, message, lastTransitionTime: at(-1) },
});

/** An object that was decided to run for three hours from `start` on, as its controller reports it now. */
async function decided(name: string, namespace: string, start: number, status: object): Promise<Resource> {
  const asked = vm(
    { cpu: 2, memory: 4, duration: "3h", schedulingTime: at(start) },
    { name, namespace, uid: name, creationTimestamp: at(start) },
  );
  const object = patched(asked, admit(create(asked), context(await loadPolicy(), NOW + start * HOUR_SECONDS)));
  return { ...object, status } as Resource;
}

/** The objects of a cluster of which one fails, one is overdue, and one runs for the second time. */
async function objects(): Promise<Resource[]> {
  const ready = condition("Ready", "Available", "3 resources are ready");
  const kept = [ready, condition("Overdue", "NothingEndsIt", KEPT)];
  return [
    await decided("kept", "demo", -10, { startsAt: at(-10), endsAt: at(-7), run: { id: "" }, conditions: kept }),
    await decided("again", "demo", -60, { startsAt: at(-1), endsAt: at(2), run: { id: "2" }, conditions: [ready] }),
    await decided("broken", LONG, -5, { conditions: [condition("Ready", "ProviderTerminal", REFUSAL, "False")] }),
  ];
}

beforeAll(async () => {
  browser = await openBrowser();
  const known = (await objects()).map((object) => {
    const { name = "", namespace = "" } = object.metadata;
    const space = { name: namespace, labels: {}, annotations: {} };
    return [`${namespace}/${name}`, { object, namespace: space, isDenied: false, atSeconds: NOW }] as const;
  });
  running = await startConsole({
    source: { folder: "objects", files: [], simulations: [], decided: new Map(known), findings: null },
    pages: await builtPages({ root: projectPath("."), cacheDir: join(tmpdir(), "landfall-test-console") }),
    ...{ policy: await loadPolicy(), tarballs: await policyTarballs(), sources: new Map() },
    catalog: projectPath("catalog"),
    ...{ systemNamespace: "landfall-system", port: 0, timeLapse: 3600 },
    failed: (thrown) => {
      throw thrown;
    },
  });
});

afterAll(async () => {
  await running.stop();
  await browser.close();
});

/** Whether all of an element is in the window. */
async function isInView(element: Locator, { width, height }: { width: number; height: number }): Promise<boolean> {
  const box = await element.boundingBox();
  return box !== null && box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= height;
}

const linesOf = async (element: Locator): Promise<number> =>
  Math.round(((await element.boundingBox())?.height ?? 0) / 20);
const rowOf = (page: Page, name: string): Locator =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
const timesIn = async (part: Locator): Promise<(string | null)[]> =>
  Promise.all((await part.locator("time").all()).map((one) => one.getAttribute("datetime")));
const cellsOf = async (row: Locator): Promise<string[]> => row.getByRole("cell").allTextContents();

describe("tables of objects", () => {
  it("have the state and the reason in view on a phone, and so has the page of an object", async () => {
    const { page, faults } = await signInTo(browser, running, { viewport: PHONE });
    for (const view of ["/", "/objects"]) {
      await show(page, view);
      const row = rowOf(page, "broken");
      await row.scrollIntoViewIfNeeded();
      expect([view, await isInView(row.locator(".state", { hasText: "Failing" }), PHONE)]).toEqual([view, true]);
      expect([view, await isInView(row.locator(".reason", { hasText: "SkuNotAvailable" }), PHONE)]).toEqual([
        view,
        true,
      ]);
    }
    await show(page, `/objects/VmTemplate/${LONG}/broken`);
    expect(await isInView(page.getByText("ProviderTerminal").first(), PHONE)).toBe(true);
    expect(await isInView(page.getByText(REFUSAL).first(), PHONE)).toBe(true);
    expect(faults).toEqual([]);
  });

  it.each([
    [1280, 3],
    [390, 2],
  ])("break the longest namespace into few lines: %i pixels", async (width, most) => {
    const { page } = await signInTo(browser, running, { viewport: { width, height: 844 } });
    for (const view of ["/", "/objects"]) {
      await show(page, view);
      const name = rowOf(page, "broken").getByText(LONG);
      const lines = await linesOf(name);
      expect([view, lines > 0 && lines <= most]).toEqual([view, true]);
    }
  });

  it("have the names, the reason and the main figures in view on 1280 pixels", async () => {
    const [width, height] = [1280, 844];
    const { page } = await signInTo(browser, running, { viewport: { width, height } });
    await show(page, "/objects");
    for (const header of [
      "Name",
      "State and reason",
      "Place",
      "Start",
      "End",
      "Carbon, g",
      "Saved, g",
      "Price, USD/h",
    ]) {
      const found = page.getByRole("columnheader", { name: header }).first();
      expect([header, await isInView(found, { width, height })]).toEqual([header, true]);
    }
    for (const part of [".reason", ".object-name"])
      expect(await isInView(rowOf(page, "broken").locator(part), { width, height })).toBe(true);
  });

  it("follow WCAG 2.2 AA with these names and states", async () => {
    const { page, faults } = await signInTo(browser, running, { viewport: PHONE });
    for (const view of ["/", "/objects", "/timeline", "/objects/VmTemplate/demo/kept"]) {
      await show(page, view);
      expect([view, await violationsInBoth(page)]).toEqual([view, []]);
      expect([view, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([view, PHONE.width]);
    }
    expect(faults).toEqual([]);
  });
});

describe("a run whose machine is kept", () => {
  it("is overdue in the overview, in tables and on the timeline", async () => {
    const { page } = await signInTo(browser, running);
    await show(page, "/");
    await page.getByRole("link", { name: "1 Overdue" }).waitFor();
    const attention = page.getByRole("region", { name: "Needs attention" });
    expect(await attention.getByRole("link").allTextContents()).toEqual(["kept", "broken"]);
    expect(await cellsOf(rowOf(page, "kept"))).toEqual(expect.arrayContaining(["Overdue", KEPT]));
    await page.getByRole("link", { name: "1 Overdue" }).click();
    await page.getByText("1 of 3 objects", { exact: true }).waitFor();
    expect(await cellsOf(rowOf(page, "kept"))).toContain(`Overdue${KEPT}`);
    await show(page, "/timeline?state=overdue");
    await page.getByRole("button", { name: /^kept: starts .*, was to end / }).waitFor();
  });
});

describe("a cluster that speeds runs up", () => {
  it("says so in the bar of each page", async () => {
    const { page } = await signInTo(browser, running);
    for (const view of ["/", "/objects"]) {
      await show(page, view);
      expect(await page.locator(".bar-lapse").textContent()).toBe("runs sped up 3600×");
    }
  });
});

describe("another run of a kept machine", () => {
  it("has its own times in the table, and the decided one on the page of the object", async () => {
    const { page } = await signInTo(browser, running);
    await show(page, "/objects");
    expect(await timesIn(rowOf(page, "again"))).toEqual([at(-1), at(2)]);
    await show(page, "/objects/VmTemplate/demo/again");
    expect(await timesIn(page.locator(".facts"))).toEqual([at(-1), at(-60), at(2)]);
  });
});
