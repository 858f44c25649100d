// `node scripts/console-pictures.ts ADDRESS FOLDER [--chromium FILE] [--press BUTTON] [--only light-1280] [PATH…]`: pictures of the console's
// pages in both themes and at both widths.
// ADDRESS is one that `landfall console` or `npm start` prints: it is used up. Prints how long each page took.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Command, Option } from "commander";
import { chromium, type Page } from "playwright-core";

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;
const VIEWS = (["light", "dark"] as const).flatMap((scheme) => SIZES.map((size) => [scheme, size] as const));
const nameOfView = ([scheme, { width }]: (typeof VIEWS)[number]): string => `${scheme}-${String(width)}`;
const PAGES = ["/", "/map", "/timeline", "/objects", "/policies", "/policies?view=namespaces", "/simulate", "/try"];
const LONGEST_MS = 60_000;
/** A simulation ends by then. */
const LONGEST_WORK_MS = 600_000;

/** `/policies?view=settings` as `policies-view-settings`. */
const nameOf = (path: string): string => path.replaceAll(/[^A-Za-z0-9]+/g, "-").replaceAll(/^-|-$/g, "") || "overview";

async function show(page: Page, path: string, button: string | undefined): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.locator("main h1").first().waitFor({ timeout: LONGEST_MS });
  await page.locator(".loading").first().waitFor({ state: "detached", timeout: LONGEST_MS });
  if (button !== undefined) {
    await page.getByRole("button", { name: button }).click();
    await page.locator(".running").waitFor({ timeout: LONGEST_MS });
    await page.locator(".running").waitFor({ state: "detached", timeout: LONGEST_WORK_MS });
    await page.locator("main table").first().waitFor({ timeout: LONGEST_MS });
  }
  // Motion ends within 150 ms, and a curve is drawn in the next frame.
  await page.waitForTimeout(500);
}

const program = new Command("console-pictures")
  .argument("<address>", "an address that the console printed")
  .argument("<folder>", "where the pictures go")
  .argument("[paths...]", "the pages", PAGES)
  .option("--chromium <file>", "the browser", "/usr/bin/chromium")
  .option("--press <button>", "a button to press on each page, as Run the simulation; its work is awaited")
  .addOption(new Option("--only <view>", "one theme and width; all of them if omitted").choices(VIEWS.map(nameOfView)))
  .parse();
const [address = "", folder = ""] = program.args;
const [, , paths] = program.processedArgs as [string, string, string[]];
const { chromium: executablePath, press, only } = program.opts<{ chromium: string; press?: string; only?: string }>();
const views = VIEWS.filter((view) => only === undefined || nameOfView(view) === only);

await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
try {
  // One context: the session of the first page is passed on to the others.
  const context = await browser.newContext({ timezoneId: "Europe/Rome", locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(address);
  await page.locator("main h1").first().waitFor({ timeout: LONGEST_MS });
  for (const [colorScheme, size, path] of views.flatMap((view) => paths.map((one) => [...view, one] as const))) {
    const began = performance.now();
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await show(page, path, press);
    const file = join(folder, `${nameOf(path)}-${colorScheme}-${String(size.width)}.png`);
    await page.screenshot({ path: file });
    process.stdout.write(`${file} ${(performance.now() - began).toFixed(0)} ms\n`);
  }
} finally {
  await browser.close();
}
