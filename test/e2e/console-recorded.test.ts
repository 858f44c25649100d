import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtPages } from "../../src/console/pages/built-pages.ts";
import { readFolder } from "../../src/console/recorded/read-folder.ts";
import { type RunningConsole, startConsole } from "../../src/console/start-console.ts";
import { projectPath } from "../../src/local/processes/project-path.ts";
import { NOW } from "../support/admission.ts";
import { openBrowser } from "../support/console/open-browser.ts";
import { recordedFolder } from "../support/console/recorded-folder.ts";
import { simulatingCommand } from "../support/console/simulating-command.ts";
import { show, signInTo, violationsInBoth } from "../support/console/serve-consoles.ts";
import { loadPolicy, policyTarballs } from "../support/load-policy.ts";

let folder = "";
let commands = "";
let browser: Browser;
let running: RunningConsole;

beforeAll(async () => {
  folder = await recordedFolder();
  commands = await mkdtemp(join(tmpdir(), "landfall-commands-"));
  browser = await openBrowser();
  running = await startConsole({
    ...{ source: await readFolder(folder, NOW + 3600), systemNamespace: "landfall-system", port: 0 },
    pages: await builtPages({ root: projectPath("."), cacheDir: join(tmpdir(), "landfall-test-console") }),
    ...{ policy: await loadPolicy(), tarballs: await policyTarballs(), sources: new Map() },
    ...{ catalog: projectPath("catalog"), landfall: await simulatingCommand(commands) },
    failed: (thrown) => {
      throw thrown;
    },
  });
});

afterAll(async () => {
  await running.stop();
  await browser.close();
  await rm(folder, { recursive: true });
  await rm(commands, { recursive: true });
});

describe("the console of recorded files", () => {
  it("shows files, simulations and objects without a cluster, and says what is not recorded", async () => {
    const { page, faults } = await signInTo(browser, running);
    const files = page.getByRole("region", { name: "Recorded files" });
    await files.getByText("log.json.1").waitFor();
    await page.getByText("conditions, resources and signatures are not recorded").waitFor();
    await page.getByRole("region", { name: "Simulation simulation.json" }).getByText("ours").waitFor();
    await show(page, "/objects");
    await page.getByRole("link", { name: "web" }).click();
    await page.getByText("It gives the recorded place and start.").waitFor();
    await page.getByText("Signature not checked").waitFor();
    await show(page, "/map");
    await page.getByRole("group", { name: /Map of the places/ }).waitFor();
    await show(page, "/try");
    await page.getByText("the console shows recorded decisions, not a cluster").first().waitFor();
    expect(await page.getByRole("button", { name: "Create in the cluster" }).isDisabled()).toBe(true);
    expect(faults).toEqual([]);
  });

  it("says where latency is measured from, and shows no empty table where the rules leave no place", async () => {
    const { page, faults } = await signInTo(browser, running);
    await show(page, "/objects/VmTemplate/demo/web");
    await page.getByText("azure/italynorth (the platform's default").waitFor();
    await show(page, "/objects/VmTemplate/demo/huge");
    await page.getByText("Made again by this console with its own bundle").waitFor();
    await page.getByText("The rules leave no place.").waitFor();
    expect(await page.getByRole("table", { name: "Candidates" }).count()).toBe(0);
    await page.getByText(/Also the \d+ places that a rule removed/).click();
    await page.getByRole("table", { name: "Candidates" }).waitFor();
    expect(faults).toEqual([]);
  });

  it("drops what a page does not know from its address", async () => {
    const { page, faults } = await signInTo(browser, running);
    await show(page, "/map?view=table&only=allowed&state=%22up%22");
    await page.getByRole("group", { name: /Map of the places/ }).waitFor();
    expect(new URL(page.url()).search).toBe("?only=allowed");
    expect(faults).toEqual([]);
  });

  it("keeps the options of a simulation in the address, and its figures when the page is loaded again", async () => {
    const { page, faults } = await signInTo(browser, running);
    await show(page, "/simulate");
    await page.getByLabel("Jobs", { exact: true }).fill("20");
    await page.getByLabel("Compare these costs of waiting, %").fill("");
    await expect.poll(() => new URL(page.url()).search).toBe("?jobs=20&frontier=none");
    await page.getByRole("button", { name: "Run the simulation" }).click();
    const heading = page.getByRole("heading", { name: "Policies compared, for 20 jobs" });
    await heading.waitFor();
    await page.reload();
    await heading.waitFor();
    expect(await page.getByLabel("Jobs", { exact: true }).inputValue()).toBe("20");
    expect(await page.getByLabel("Compare these costs of waiting, %").inputValue()).toBe("");
    expect(await page.getByRole("row", { name: /6 \(in force\)/ }).getAttribute("aria-current")).toBe("true");
    await page.getByRole("link", { name: "Map" }).click();
    await page.getByRole("heading", { name: "Map", level: 1 }).waitFor();
    await page.goBack();
    await heading.waitFor();
    expect(await page.getByText("the options before your change").count()).toBe(0);
    await page.getByLabel("Jobs", { exact: true }).fill("30");
    await page.getByText("the options before your change").waitFor();
    expect(faults).toEqual([]);
  });

  it.each([1280, 390])("follows WCAG 2.2 AA and is no wider than the window: %i pixels", async (width) => {
    const { page, faults } = await signInTo(browser, running, { viewport: { width, height: 800 } });
    for (const view of [
      "/",
      "/objects",
      "/objects/VmTemplate/demo/web",
      "/objects/VmTemplate/demo/huge",
      "/map",
      "/timeline",
      "/simulate?jobs=20&frontier=none",
      "/try",
    ]) {
      await show(page, view);
      expect([view, await violationsInBoth(page)]).toEqual([view, []]);
      expect([view, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([view, width]);
    }
    expect(faults).toEqual([]);
  });
});
