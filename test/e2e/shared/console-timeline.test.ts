import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Starts } from "../../../src/console/contract/timeline.ts";
import { vm } from "../../support/admission.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";
import { openBrowser } from "../../support/console/open-browser.ts";
import { serveConsoles, show, signInTo } from "../../support/console/serve-consoles.ts";

const { kubeconfig, bundle } = inject("cluster");
const NAMESPACE = "timed";
const OBJECT = `VmTemplate/${NAMESPACE}/train`;
const { serve, stop } = serveConsoles(kubeconfig, bundle);
const HOUR_MS = 3_600_000;
let browser: Browser;
let owner: TenantCluster;

beforeAll(async () => {
  browser = await openBrowser();
  owner = await openTenant(kubeconfig, NAMESPACE, {});
  const start = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 6 * HOUR_MS).toISOString();
  const deadline = new Date(Date.now() + 48 * HOUR_MS).toISOString();
  const spec = { cpu: 4, memory: 8, duration: "3h", deadline, schedulingTime: start, dataResidency: ["EU"] };
  await owner.tenant.client.create(`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates`, {
    ...vm(spec, { name: "train", namespace: NAMESPACE }),
    apiVersion: "composition.krateo.io/v0-2-0",
  });
});

afterAll(async () => {
  await stop();
  await browser.close();
  await owner.close();
});

/** Drags the ruler of 96 hours over these ones. */
async function drag(page: Page, hours: readonly number[]): Promise<void> {
  const box = await page.getByRole("slider", { name: /^Hour/ }).boundingBox();
  if (box === null) throw new Error("the ruler is not shown");
  for (const [at, hour] of hours.entries()) {
    await page.mouse.move(box.x + (box.width * (hour + 0.5)) / 96, box.y + box.height / 2);
    if (at === 0) await page.mouse.down();
  }
  await page.mouse.up();
}

describe("the timeline", () => {
  it("compares a dragged hour with the decided one, by the figures of the code that decides", async () => {
    const { page, faults } = await signInTo(browser, await serve(null));
    await show(page, `/timeline?namespace=${NAMESPACE}`);
    const answered = page.waitForResponse((answer) => answer.url().endsWith("/starts"));
    await page.getByRole("button", { name: /^train: .*Show other starts/ }).click();
    const { starts, decided } = (await (await answered).json()) as Starts;
    await page.waitForURL(/object=/);
    const panel = page.getByRole("complementary", { name: "Other starts of train" });
    await panel.getByText("Decided start", { exact: true }).waitFor();

    // Four days from yesterday on: 36 hours after the first one is half a day from now.
    await drag(page, [24, 30, 36]);
    await page.waitForURL(/at=/);
    const at = new URL(page.url()).searchParams.get("at") ?? "";
    expect(Math.round((Date.parse(at) - Date.now()) / HOUR_MS)).toBeGreaterThan(9);
    const { place = "", grams } = starts.find(({ start }) => start === at)?.best ?? {};
    expect([grams, decided?.grams]).toEqual([expect.any(Number), expect.any(Number)]);
    await panel.locator(`[data-start="${at}"]`).waitFor();
    const shown = (await panel.locator(`[data-start="${at}"]`).textContent()) ?? "";
    expect(shown).toContain(place);
    expect(shown).toContain(`${Number(grams).toFixed(2)} g CO₂e`);
    expect(faults).toEqual([]);
  });

  it("goes from hour to hour by the keys, by the form and by buttons, and all stays in the address", async () => {
    const { page } = await signInTo(browser, await serve(null));
    await show(page, `/timeline?namespace=${NAMESPACE}&object=${OBJECT}`);
    const ruler = page.getByRole("slider", { name: /^Hour/ });
    await ruler.focus();
    const first = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const chosen = (): number => (Date.parse(new URL(page.url()).searchParams.get("at") ?? "") - first) / HOUR_MS;
    await page.keyboard.press("ArrowRight");
    await expect.poll(chosen).toBe(1);
    await page.keyboard.press("PageUp");
    await expect.poll(chosen).toBe(25);
    await page.getByRole("button", { name: "Hour earlier" }).click();
    await expect.poll(chosen).toBe(24);
    const field = page.getByLabel("Hour", { exact: true });
    const value = await field.inputValue();
    await field.fill(value.replace(/T\d\d/, (hour) => (hour === "T05" ? "T06" : "T05")));
    await expect.poll(() => chosen() % 1).toBe(0);
    await expect.poll(chosen).not.toBe(24);
    const address = page.url();
    await page.reload();
    await page.getByRole("complementary", { name: "Other starts of train" }).waitFor();
    expect(page.url()).toBe(address);
    await page.getByRole("button", { name: "Show as tables" }).click();
    const row = page.getByRole("region", { name: "Objects over time" }).getByRole("row").filter({ hasText: "train" });
    expect(await row.getByRole("cell").nth(7).textContent()).not.toBe("–");
  });

  it("keeps its filters in the address, and shows what they leave", async () => {
    const { page } = await signInTo(browser, await serve(`admin-of-${NAMESPACE}`));
    await show(page, `/timeline?namespace=${NAMESPACE}&state=failing`);
    await page.getByText("No objects in these hours").waitFor();
    expect(await page.locator(".lane-zone").count()).toBe(6);
    await page.getByRole("button", { name: /State/ }).click();
    await page.getByRole("option", { name: "Waiting" }).click();
    await page.waitForURL(/state=waiting/);
    await page.getByRole("link", { name: "train" }).waitFor();
    await page.getByRole("button", { name: "Later", exact: true }).click();
    await page.waitForURL(/from=/);
  });
});
