import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";
import { openBrowser } from "../../support/console/open-browser.ts";
import { serveConsoles, show, signInTo } from "../../support/console/serve-consoles.ts";

const { kubeconfig, bundle } = inject("cluster");
const NAMESPACE = "ruled";
const { serve, stop } = serveConsoles(kubeconfig, bundle);
let browser: Browser;
let owner: TenantCluster;

beforeAll(async () => {
  browser = await openBrowser();
  owner = await openTenant(kubeconfig, NAMESPACE, { "landfall.dev/residency": "SE", "landfall.dev/max-wait": "5h" });
});

afterAll(async () => {
  await stop();
  await browser.close();
  await owner.close();
});

describe("the policies", () => {
  it("say in four clicks which namespaces may not use Italy, and by which rule", async () => {
    const { page, faults } = await signInTo(browser, await serve(null));
    await page.getByRole("link", { name: "Policies" }).click();
    await page.getByRole("tab", { name: "Namespaces" }).click();
    await page.getByRole("button", { name: /Country/ }).click();
    await page.getByRole("option", { name: "Italy" }).click();
    await page.waitForURL(/country=IT/);
    const row = page.getByRole("region", { name: "Namespaces" }).getByRole("row").filter({ hasText: NAMESPACE });
    await row.getByText(/^no: 0 of \d+ places$/).waitFor();
    await row.getByText(/residency \(\d+\)/).waitFor();
    expect(faults).toEqual([]);
  });

  it("name the bundle that decides as decisions do, by the report that lasts", async () => {
    const { page } = await signInTo(browser, await serve(null));
    await show(page, "/policies");
    await page.getByText("From the report that the webhook keeps.").waitFor();
    const cells = page.getByRole("region", { name: "Active bundles" }).getByRole("row").last().getByRole("cell");
    const [name, revision, digest] = await cells.allTextContents();
    const own = page
      .locator("dd")
      .filter({ hasText: revision ?? "" })
      .locator("code")
      .nth(1);
    expect([name, digest]).toEqual(["platform", await own.textContent()]);
  });

  it("say where each setting of a namespace comes from", async () => {
    const { page } = await signInTo(browser, await serve(null));
    await show(page, `/policies?view=settings&namespace=${NAMESPACE}`);
    const row = page
      .getByRole("region", { name: "Settings in force" })
      .getByRole("row")
      .filter({ hasText: "max-wait" });
    const cells = await row.getByRole("cell").allTextContents();
    expect(cells.slice(1)).toEqual(["5h", "namespace", "not set", "5h"]);
    expect(await page.getByText("You cannot read this namespace").count()).toBe(0);
  });

  it("name what a tenant cannot read, and refuse an impact without the rights of a kubeconfig", async () => {
    const { page } = await signInTo(browser, await serve(`admin-of-${NAMESPACE}`));
    await show(page, `/policies?namespace=${NAMESPACE}`);
    await page
      .getByText(
        /You are not allowed to read: ConfigMap .*, Events in .*, PlacementReports of .*, the webhook's Deployment/,
      )
      .waitFor();
    await show(page, "/policies?view=impact&bundle=none");
    await page.getByRole("button", { name: "Show impact" }).click();
    await page.getByText(/was not started with a kubeconfig file/).waitFor();
    expect(await page.getByText("Nothing would change.").count()).toBe(0);
  });

  it("show the impact of the bundle itself: nothing changes", async () => {
    const { page, faults } = await signInTo(browser, await serve(null));
    const address = `/policies?view=impact&bundle=${encodeURIComponent(bundle)}&against=${encodeURIComponent(bundle)}`;
    await show(page, address);
    await page.getByRole("button", { name: "Show impact" }).click();
    await page.getByText("Nothing would change.").waitFor({ timeout: 150_000 });
    expect(faults).toEqual([]);
  });
});

describe("a simulation", () => {
  it("can be cancelled, and gives figures, frontier and plots", async () => {
    const { page, faults } = await signInTo(browser, await serve(null));
    await show(page, "/simulate?jobs=20&frontier=10");
    await page.getByRole("button", { name: "Run the simulation" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
    await expect
      .poll(async () => {
        const button = page.getByRole("button", { name: "Run the simulation" });
        if (await button.isEnabled()) await button.click();
        return page.getByRole("button", { name: "Cancel" }).count();
      })
      .toBe(1);
    await page.getByRole("region", { name: "Policies of the simulation" }).waitFor({ timeout: 150_000 });
    expect(await page.locator(".plot img").count()).toBe(5);
    expect(await page.evaluate("document.querySelector('.plot img').naturalWidth > 0")).toBe(true);
    expect(faults).toEqual([]);
  });
});
