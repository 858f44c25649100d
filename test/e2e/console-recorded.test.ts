import { rm } from "node:fs/promises";
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
import { show, signInTo, violationsInBoth } from "../support/console/serve-consoles.ts";
import { loadPolicy, policyTarballs } from "../support/load-policy.ts";

let folder = "";
let browser: Browser;
let running: RunningConsole;

beforeAll(async () => {
  folder = await recordedFolder();
  browser = await openBrowser();
  running = await startConsole({
    ...{ source: await readFolder(folder, NOW + 3600), systemNamespace: "landfall-system", port: 0 },
    pages: await builtPages({ root: projectPath("."), cacheDir: join(tmpdir(), "landfall-test-console") }),
    ...{ policy: await loadPolicy(), tarballs: await policyTarballs(), sources: new Map() },
    catalog: projectPath("catalog"),
    failed: (thrown) => {
      throw thrown;
    },
  });
});

afterAll(async () => {
  await running.stop();
  await browser.close();
  await rm(folder, { recursive: true });
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

  it.each([1280, 390])("follows WCAG 2.2 AA and is no wider than the window: %i pixels", async (width) => {
    const { page, faults } = await signInTo(browser, running, { viewport: { width, height: 800 } });
    for (const view of [
      "/",
      "/objects",
      "/objects/VmTemplate/demo/web",
      "/objects/VmTemplate/demo/huge",
      "/map",
      "/timeline",
      "/try",
    ]) {
      await show(page, view);
      expect([view, await violationsInBoth(page)]).toEqual([view, []]);
      expect([view, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([view, width]);
    }
    expect(faults).toEqual([]);
  });
});
