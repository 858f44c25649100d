import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { conditionsOf, type Resource } from "../../../src/model/kubernetes.ts";
import { vm } from "../../support/admission.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";
import { openBrowser } from "../../support/console/open-browser.ts";
import { serveConsoles, show, signInTo, violationsInBoth } from "../../support/console/serve-consoles.ts";

const { kubeconfig, bundle } = inject("cluster");
const NAMESPACE = "resources-seen";
const COLLECTION = `/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates`;
const { serve, stop } = serveConsoles(kubeconfig, bundle);
let browser: Browser;
let owner: TenantCluster;

beforeAll(async () => {
  browser = await openBrowser();
  owner = await openTenant(kubeconfig, NAMESPACE, {});
  await owner.tenant.client.create(COLLECTION, {
    ...vm({ cpu: 2, memory: 4, provider: "aws" }, { name: "made", namespace: NAMESPACE }),
    apiVersion: "composition.krateo.io/v0-2-0",
  });
  await vi.waitFor(
    async () => {
      const made = await owner.tenant.client.get<Resource>(`${COLLECTION}/made`);
      expect(made && conditionsOf(made).find(({ type }) => type === "Ready")).toMatchObject({ status: "True" });
    },
    { timeout: 60_000, interval: 250 },
  );
});

afterAll(async () => {
  await stop();
  await browser.close();
  await owner.close();
});

describe("the resources of an object", () => {
  it.each([1280, 390])(
    "are a graph and an equal table, down to the provider's conditions: %i pixels",
    async (width) => {
      const viewport = { width, height: 800 };
      const running = await serve(`admin-of-${NAMESPACE}`);
      const { page, faults } = await signInTo(browser, running, { viewport });
      await show(page, `/objects/VmTemplate/${NAMESPACE}/made?view=resources`);
      const table = page.getByRole("region", { name: "Resources", exact: true });
      const row = table.getByRole("row").filter({ has: page.getByRole("cell", { name: "Instance", exact: true }) });
      await row.getByText("Ready", { exact: true }).waitFor();
      await row.getByText("ACK.ResourceSynced True").waitFor();
      const drawn = await page.locator(".graph-box").count();
      expect(drawn).toBeGreaterThan(1);
      expect(await table.getByRole("row").count()).toBe(drawn + 1);
      expect(await page.locator(".graph-line").count()).toBeGreaterThan(0);
      expect(await violationsInBoth(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(faults).toEqual([]);
    },
  );
});
