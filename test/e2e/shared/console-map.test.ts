import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";
import { openBrowser } from "../../support/console/open-browser.ts";
import { serveConsoles, show, signInTo } from "../../support/console/serve-consoles.ts";

const { kubeconfig, bundle } = inject("cluster");
const NAMESPACE = "mapped";
const { serve, stop } = serveConsoles(kubeconfig, bundle);
let browser: Browser;
let owner: TenantCluster;

beforeAll(async () => {
  browser = await openBrowser();
  owner = await openTenant(kubeconfig, NAMESPACE, { "landfall.dev/providers": "aws" });
});

afterAll(async () => {
  await stop();
  await browser.close();
  await owner.close();
});

describe("the map", () => {
  it("is used by the keyboard, keeps the place in the address, and the table has the same figures", async () => {
    const { page, faults } = await signInTo(browser, await serve(null));
    await show(page, "/map");
    const map = page.getByRole("group", { name: /Map of the places/ });
    await map.getByRole("button").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForURL(/place=/);
    const place = new URL(page.url()).searchParams.get("place") ?? "";
    const panel = page.getByRole("complementary", { name: place });
    const shown = (await panel.locator(".intensity").first().textContent()) ?? "";
    expect(shown).toMatch(/^\d+$/);
    await page.getByRole("button", { name: "Show as a table" }).click();
    const row = page.getByRole("region", { name: "Places" }).getByRole("row").filter({ hasText: place });
    expect(await row.locator(".intensity").textContent()).toBe(shown);
    expect(faults).toEqual([]);
  });

  it("shows another hour by the slider, which stays in the address and in the bar", async () => {
    const { page } = await signInTo(browser, await serve(null));
    await show(page, "/map?place=azure/germanynorth");
    const panel = page.getByRole("complementary", { name: "azure/germanynorth" });
    const before = await panel.locator(".intensity").first().textContent();
    const slider = page.getByRole("slider");
    await slider.focus();
    for (let hour = 0; hour < 9; hour += 1) await page.keyboard.press("ArrowRight");
    await page.waitForURL(/at=/);
    const at = new URL(page.url()).searchParams.get("at") ?? "";
    const hours = (Date.parse(at) - Math.floor(Date.now() / 3_600_000) * 3_600_000) / 3_600_000;
    expect(hours).toBe(9);
    expect(await panel.locator(".intensity").first().textContent()).not.toBe(before);
    await page.reload();
    await page.getByRole("slider").waitFor();
    expect(await page.getByRole("slider").inputValue()).toBe("9");
    await page.getByRole("button", { name: /back to now/ }).click();
    await page.waitForURL((url) => !url.searchParams.has("at"));
  });

  it("says which places the rules of a namespace leave", async () => {
    const { page } = await signInTo(browser, await serve(`admin-of-${NAMESPACE}`));
    await show(page, `/map?namespace=${NAMESPACE}&as=table&view=world&only=allowed`);
    const places = await page
      .getByRole("region", { name: "Places" })
      .getByRole("cell")
      .getByRole("button")
      .allTextContents();
    expect(places.length).toBeGreaterThan(10);
    expect(places.filter((place) => !place.startsWith("aws/"))).toEqual([]);
    await show(page, `/map?namespace=${NAMESPACE}&place=gcp/europe-west8`);
    await page.getByRole("complementary", { name: "gcp/europe-west8" }).getByText("removed by provider").waitFor();
  });
});
