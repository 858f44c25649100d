// What a new user wants to know, by clicks from Overview: at most four, which the test counts. It prints the seconds and bounds none.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { vm } from "../../support/admission.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";
import { openBrowser } from "../../support/console/open-browser.ts";
import { serveConsoles, signInTo } from "../../support/console/serve-consoles.ts";

const { kubeconfig, bundle } = inject("cluster");
const NAMESPACE = "asked";
const MOST_CLICKS = 4;
const { serve, stop } = serveConsoles(kubeconfig, bundle);
const told: string[] = [];
let browser: Browser;
let owner: TenantCluster;

const create = (name: string, spec: object): Promise<unknown> =>
  owner.tenant.client.create(`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates`, {
    ...vm({ cpu: 1, memory: 1, ...spec }, { name, namespace: NAMESPACE }),
    apiVersion: "composition.krateo.io/v0-2-0",
  });

beforeAll(async () => {
  browser = await openBrowser();
  owner = await openTenant(kubeconfig, NAMESPACE, {
    "landfall.dev/quota-objects": "2",
    "landfall.dev/max-latency": "70",
    "landfall.dev/residency": "SE",
  });
  // The release fails: something of its name is there that is not its own.
  await owner.admin.create(`/apis/resources.azure.com/v1api20200601/namespaces/${NAMESPACE}/resourcegroups`, {
    ...{ apiVersion: "resources.azure.com/v1api20200601", kind: "ResourceGroup" },
    ...{ metadata: { name: "fails-rg", namespace: NAMESPACE }, spec: { location: "swedencentral" } },
  });
  await create("fails", { provider: "azure" });
  const soon = new Date(Date.now() + 30 * 60_000).toISOString();
  const deadline = new Date(Date.now() + 48 * 3_600_000).toISOString();
  await create("waits-soon", { duration: "3h", schedulingTime: soon, deadline });
});

afterAll(async () => {
  process.stdout.write(`console: seconds of a new user's tasks, with clicks: ${told.join("; ")}\n`);
  await stop();
  await browser.close();
  await owner.close();
});

interface Hand {
  page: Page;
  click: (what: Locator) => Promise<void>;
  type: (field: Locator, text: string) => Promise<void>;
}

const link = (page: Page, name: string | RegExp): Locator => page.getByRole("link", { name }).first();
const row = (page: Page, region: string, text: string): Locator =>
  page.getByRole("region", { name: region }).getByRole("row").filter({ hasText: text });
const LONG = { timeout: 240_000 };

/** Each ends when the page shows the answer. */
const TASKS: readonly (readonly [question: string, steps: (hand: Hand) => Promise<void>])[] = [
  [
    "why an object waits",
    async ({ page, click }) => {
      await click(row(page, "Next starts", "waits-soon").getByRole("link", { name: "waits-soon" }));
      await page.getByRole("tab", { name: "Why here and then", selected: true }).waitFor();
      await page.getByRole("region", { name: "Candidates" }).waitFor();
    },
  ],
  [
    "what fails, and why",
    async ({ page, click }) => {
      const reason = (await row(page, "Needs attention", "fails").locator(".reason").textContent()) ?? "";
      expect(reason).toContain("fails-rg");
      await click(row(page, "Needs attention", "fails").getByRole("link", { name: "fails" }));
      await page.getByRole("heading", { level: 1, name: "fails" }).waitFor();
      await page.getByText(reason.slice(0, 60)).first().waitFor();
    },
  ],
  [
    "which namespaces may not use Italy",
    async ({ page, click }) => {
      await click(link(page, "Policies"));
      await click(page.getByRole("tab", { name: "Namespaces" }));
      await click(page.getByRole("button", { name: /Country/ }));
      await click(page.getByRole("option", { name: "Italy" }));
      await row(page, "Namespaces", NAMESPACE)
        .getByText(/^no: 0 of \d+ places$/)
        .waitFor();
    },
  ],
  [
    "what another bundle would deny",
    async ({ page, click, type }) => {
      await click(link(page, "Policies"));
      await click(page.getByRole("tab", { name: "Impact" }));
      await type(page.getByLabel("New bundle"), bundle);
      await type(page.getByLabel("Compared with"), bundle);
      await click(page.getByRole("button", { name: "Show impact" }));
      await page.getByText("Nothing would change.").waitFor(LONG);
    },
  ],
  [
    "which object frees a full quota",
    async ({ page, click }) => {
      await click(link(page, "Policies"));
      await click(page.getByRole("tab", { name: "Namespaces" }));
      await row(page, "Namespaces", NAMESPACE).locator(".state-failing").getByText("2 of 2 objects").waitFor();
      await click(page.getByRole("link", { name: `Dearest first in ${NAMESPACE}` }));
      await click(page.getByRole("region", { name: "Objects" }).getByRole("row").nth(1).getByRole("link").first());
      await page.getByRole("heading", { level: 1, name: /^(?:fails|waits-soon)$/ }).waitFor();
    },
  ],
  [
    "when the grid is cleanest",
    async ({ page, click }) => {
      await click(link(page, "Timeline"));
      await page
        .getByText(/^Cleanest:/)
        .first()
        .waitFor();
    },
  ],
  [
    "what another start would give",
    async ({ page, click }) => {
      await click(link(page, "Timeline"));
      await click(page.getByRole("button", { name: /^waits-soon: .*Show other starts/ }));
      await click(page.getByRole("button", { name: "Hour later" }));
      await page.getByText("In the best place").waitFor();
    },
  ],
  [
    "where a limit of latency comes from",
    async ({ page, click }) => {
      await click(link(page, "Policies"));
      await click(page.getByRole("tab", { name: "Namespaces" }));
      await click(row(page, "Namespaces", NAMESPACE).getByRole("link", { name: NAMESPACE, exact: true }));
      const cells = row(page, "Settings in force", "max-latency").getByRole("cell");
      await cells.first().waitFor();
      expect(await cells.allTextContents()).toContain("70");
    },
  ],
  [
    "which bundle decides, and who signed it",
    async ({ page, click }) => {
      await click(link(page, "Policies"));
      await page.getByText("Signed by").first().waitFor();
      await page.getByText("The webhook follows").waitFor();
    },
  ],
  [
    "what a place that is not allowed would take",
    async ({ page, click }) => {
      await click(row(page, "Next starts", "waits-soon").getByRole("link", { name: "waits-soon" }));
      await click(page.getByText(/^Also the \d+ places that a rule removed$/));
      await click(page.getByRole("button", { name: "azure/westeurope" }));
      const panel = page.getByRole("complementary", { name: /azure\/westeurope/ });
      await panel.getByText("The rules do not allow it").waitFor();
    },
  ],
  [
    "what another cost of waiting saves",
    async ({ page, click, type }) => {
      await click(link(page, "Simulate"));
      await type(page.getByLabel("Jobs", { exact: true }), "20");
      await click(page.getByRole("button", { name: "Run the simulation" }));
      await page.getByRole("region", { name: "Saving against waiting" }).waitFor(LONG);
    },
  ],
  [
    "whether a machine would be allowed, and where",
    async ({ page, click }) => {
      await click(link(page, "Try"));
      const outcome = page.getByRole("region", { name: "What would happen" });
      await outcome.getByRole("heading", { name: "Allowed" }).waitFor();
      await outcome.locator("dd strong").waitFor();
    },
  ],
];

it("has twelve tasks", () => {
  expect(TASKS.length).toBe(12);
});

it.each(TASKS)("says %s", { timeout: 300_000 }, async (question, steps) => {
  const { page, faults } = await signInTo(browser, await serve(null));
  await row(page, "Needs attention", "fails").waitFor(LONG);
  let clicks = 0;
  const began = performance.now();
  await steps({
    page,
    async click(what) {
      clicks += 1;
      await what.click();
    },
    type: (field, text) => field.fill(text),
  });
  told.push(`${question} ${((performance.now() - began) / 1000).toFixed(1)} s (${String(clicks)})`);
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
  expect(faults).toEqual([]);
});
