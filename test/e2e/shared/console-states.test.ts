import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { vm } from "../../support/admission.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";
import { openBrowser, openPage } from "../../support/console/open-browser.ts";
import { type Line, openLine } from "../../support/console/open-line.ts";
import { serveConsoles, show, signInTo, violations } from "../../support/console/serve-consoles.ts";

const { kubeconfig, bundle } = inject("cluster");
const NAMESPACE = "stated";
const COLLECTION = `/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates`;
const { serve, stop } = serveConsoles(kubeconfig, bundle);
let browser: Browser;
let owner: TenantCluster;
let line: Line;

const create = (name: string): Promise<unknown> =>
  owner.tenant.client.create(COLLECTION, {
    ...vm(
      { cpu: 1, memory: 1, duration: "1h", schedulingTime: "2034-12-31T00:00:00Z" },
      { name, namespace: NAMESPACE },
    ),
    apiVersion: "composition.krateo.io/v0-2-0",
  });

beforeAll(async () => {
  browser = await openBrowser();
  owner = await openTenant(kubeconfig, NAMESPACE, {});
  line = await openLine((await loadKubeconfig(kubeconfig, {})).server);
  await create("first");
});

afterAll(async () => {
  await stop();
  line.close();
  await browser.close();
  await owner.close();
});

describe("an API server that does not answer", () => {
  it("leaves what is known on the page, says since when, and comes back without a reload", async () => {
    const { page, faults } = await signInTo(browser, await serve(null, line.url));
    await show(page, `/objects?namespace=${NAMESPACE}`);
    await page.getByRole("link", { name: "first" }).waitFor();
    line.cut();
    try {
      await page.locator('[data-connection="away"]').waitFor();
      expect(await page.getByRole("link", { name: "first" }).isVisible()).toBe(true);
      expect(await violations(page)).toEqual([]);
      // A page that knows nothing yet.
      await page.getByRole("link", { name: "first" }).click();
      await page.locator('[data-problem="away"]').waitFor();
      expect(await violations(page)).toEqual([]);
    } finally {
      line.mend();
    }
    await page.getByRole("tab", { name: "Life" }).waitFor();
    await page.locator('[data-connection="away"]').waitFor({ state: "detached" });
    await page.goBack();
    await create("second");
    await page.getByRole("link", { name: "second" }).waitFor();
    expect(faults).toEqual([]);
  });
});

describe("a console that was stopped", () => {
  it("is said on the page, which keeps what it knew", async () => {
    const running = await serve(null);
    const { page } = await signInTo(browser, running);
    await show(page, `/objects?namespace=${NAMESPACE}`);
    await page.getByRole("link", { name: "first" }).waitFor();
    await running.stop();
    await page.locator('[data-connection="gone"]').waitFor();
    expect(await page.getByRole("link", { name: "first" }).isVisible()).toBe(true);
    expect(await violations(page)).toEqual([]);
  });
});

describe("what is not there", () => {
  it("has words of its own: an object, a namespace, an API path", async () => {
    const { page } = await signInTo(browser, await serve(null));
    await show(page, `/objects/VmTemplate/${NAMESPACE}/never`);
    await page.getByText(`There is no VmTemplate ${NAMESPACE}/never.`).waitFor();
    expect(await violations(page)).toEqual([]);
    await show(page, "/objects/Pod/a/b");
    await page.getByText("This address is not valid").waitFor();
    await show(page, "/?namespace=empty-one");
    await page.getByText("There are no objects here yet").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("asks a tab that is not signed in for the address", async () => {
    const running = await serve(null);
    const { page } = await openPage(browser);
    await page.goto(new URL("/", running.address()).href);
    await page.locator('[data-problem="session"]').first().waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
