import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";
import { openBrowser } from "../../support/console/open-browser.ts";
import { serveConsoles, show, signInTo, violationsInBoth } from "../../support/console/serve-consoles.ts";

const { kubeconfig, bundle } = inject("cluster");
const NAMESPACE = "tried";
const OTHER = "not-tried";
const COLLECTION = `/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates`;
const { serve, stop } = serveConsoles(kubeconfig, bundle);
let browser: Browser;
let owner: TenantCluster;
let other: TenantCluster;

beforeAll(async () => {
  browser = await openBrowser();
  owner = await openTenant(kubeconfig, NAMESPACE, { "landfall.dev/quota-vcpus": "64" });
  other = await openTenant(kubeconfig, OTHER, {});
});

afterAll(async () => {
  await stop();
  await browser.close();
  await owner.close();
  await other.close();
});

const outcome = (page: Page) => page.getByRole("region", { name: "What would happen" });
const editor = (page: Page) => page.getByRole("textbox", { name: "YAML" });

/** Writes a whole document into the editor. */
async function write(page: Page, text: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

const yaml = (name: string, spec: string): string =>
  `apiVersion: composition.krateo.io/v0-2-0\nkind: VmTemplate\nmetadata: { name: ${name}, namespace: ${NAMESPACE} }\nspec:\n${spec}`;

describe("an object that is tried", () => {
  it("shows place and price by a dry run that creates nothing, and the form and the YAML are one document", async () => {
    const { page, faults, requests } = await signInTo(browser, await serve(`admin-of-${NAMESPACE}`));
    await show(page, `/try?namespace=${NAMESPACE}`);
    await outcome(page).getByText("A dry run in the cluster").waitFor();
    await outcome(page)
      .locator("dd")
      .getByText(/USD\/h/)
      .waitFor();
    // The cluster checked the quota; only the console could not have.
    expect(await outcome(page).textContent()).not.toContain("quotas were not checked");
    await page.getByRole("textbox", { name: "memory, GiB" }).fill("16");
    await page.getByText("memory: 16").waitFor();
    await write(page, yaml("typed", "  cpu: 4 # four\n  memory: 8\n"));
    await expect.poll(() => page.getByRole("textbox", { name: "cpu, vCPU" }).inputValue()).toBe("4");
    await outcome(page).and(page.locator("[data-current=true]")).waitFor();
    expect(await owner.tenant.client.get<{ items: unknown[] }>(COLLECTION)).toMatchObject({ items: [] });
    expect(requests.filter((path) => path === "/api/apply")).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("shows a denial beside its field and in the editor, and takes the change that passes", async () => {
    const { page, faults } = await signInTo(browser, await serve(`admin-of-${NAMESPACE}`));
    await show(page, `/try?namespace=${NAMESPACE}`);
    const memory = page.getByRole("textbox", { name: "memory, GiB" });
    await memory.fill("40000");
    await outcome(page).getByRole("heading", { name: "Denied" }).waitFor();
    const field = page.getByRole("region", { name: "Form" }).locator(".field").filter({ has: memory });
    await field.getByText("spec.memory 40000 leaves none").waitFor();
    await page.locator(".cm-lintRange-error").waitFor();
    expect(await page.getByRole("button", { name: "Create in the cluster" }).isDisabled()).toBe(true);
    await field.getByRole("button", { name: "Accept spec.memory: 39" }).click();
    await outcome(page).getByRole("heading", { name: "Allowed" }).waitFor();
    expect(await memory.inputValue()).toBe("39");
    expect(faults).toEqual([]);
  });

  it("completes keys and values in the editor", async () => {
    const { page, faults } = await signInTo(browser, await serve(`admin-of-${NAMESPACE}`));
    await show(page, `/try?namespace=${NAMESPACE}`);
    await write(page, yaml("completed", "  cpu: 2\n  memory: 4\n  whe"));
    await page.keyboard.press("Control+Space");
    const offered = page.locator(".cm-tooltip-autocomplete").getByRole("option");
    // CodeMirror takes no key for 75 ms after the list opens.
    await offered.filter({ hasText: "whenDone" }).click();
    await page.keyboard.press("Control+Space");
    await offered.filter({ hasText: "delete" }).click();
    await page.getByText("whenDone: delete").waitFor();
    expect(await page.getByRole("combobox", { name: "whenDone" }).inputValue()).toBe("delete");
    expect(faults).toEqual([]);
  });

  it("is created with the user's rights after it says what that does, and the result leads to the object", async () => {
    const { page, faults } = await signInTo(browser, await serve(`admin-of-${NAMESPACE}`));
    await show(page, `/try?namespace=${NAMESPACE}`);
    await write(page, yaml("made", "  cpu: 2\n  memory: 4\n"));
    await page.getByText(`Creates VmTemplate ${NAMESPACE}/made at`).waitFor();
    await page.getByRole("button", { name: "Create in the cluster" }).click();
    await page.getByText("It was created.").waitFor();
    expect(await page.getByRole("button", { name: "Create in the cluster" }).isDisabled()).toBe(true);
    await page.getByRole("link", { name: `VmTemplate ${NAMESPACE}/made` }).click();
    await page.getByRole("heading", { level: 1, name: "made" }).waitFor();
    const made = await owner.tenant.client.get<Resource>(`${COLLECTION}/made`);
    expect(made?.metadata.annotations).toHaveProperty(["landfall.dev/decision"]);
    expect(faults).toEqual([]);
  });

  it("is decided by the console alone for a user who may not create it", async () => {
    const { page, requests } = await signInTo(browser, await serve(`admin-of-${OTHER}`));
    await show(page, `/try?namespace=${NAMESPACE}`);
    await outcome(page).getByText("Decided by this console with its own bundle").waitFor();
    await outcome(page)
      .locator("dd")
      .getByText(/USD\/h/)
      .waitFor();
    expect(await page.getByRole("button", { name: "Create in the cluster" }).isDisabled()).toBe(true);
    expect(requests).not.toContain("/api/apply");
  });

  it("loads its editor on its own page alone", async () => {
    const { page, requests } = await signInTo(browser, await serve(null));
    await show(page, "/objects");
    expect(requests.filter((path) => path.includes("try-page"))).toEqual([]);
    await show(page, "/try");
    expect(requests.filter((path) => path.includes("try-page")).length).toBe(1);
  });
});

describe("the page Try", () => {
  it.each([1280, 390])("follows WCAG 2.2 AA and is no wider than the window: %i pixels", async (width) => {
    const running = await serve(null);
    const { page, faults } = await signInTo(browser, running, { viewport: { width, height: 800 } });
    for (const view of ["/try", "/try?fields=all", "/try?kind=KaasCluster&fields=all"]) {
      await show(page, `${view}${view.includes("?") ? "&" : "?"}namespace=${NAMESPACE}`);
      await outcome(page).and(page.locator("[data-current=true]")).waitFor();
      await outcome(page).getByRole("heading").waitFor();
      expect([view, await violationsInBoth(page)]).toEqual([view, []]);
      expect([view, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([view, width]);
    }
    await show(page, `/try?namespace=${NAMESPACE}`);
    await page.getByRole("textbox", { name: "memory, GiB" }).fill("40000");
    await outcome(page).getByRole("heading", { name: "Denied" }).waitFor();
    expect(await violationsInBoth(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
