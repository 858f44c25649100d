import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, it } from "vitest";

/** What `npm start` and a clone's `landfall console` wait for when the pages have changed. */
const MOST_SECONDS = 20;

/** Builds as src/console/pages does, and says how much processor time that took: unlike the clock's, it hardly depends on other work of the machine. */
const BUILD = `
  const { build } = await import("vite");
  const began = performance.now();
  await build({ root: "web", logLevel: "warn", build: { outDir: process.argv[1], emptyOutDir: true } });
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ processor: (user + system) / 1e6, clock: (performance.now() - began) / 1000 }));
`;

let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), "landfall-pages-"));
});
afterAll(() => rm(out, { recursive: true, force: true }));

it("the pages of the console are built within 20 s of processor time", async () => {
  const { stdout } = await execa(process.execPath, ["--input-type=module", "--eval", BUILD, out]);
  const { processor, clock } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Record<
    "processor" | "clock",
    number
  >;
  process.stdout.write(`console: its pages take ${processor.toFixed(1)} s of processor time, ${clock.toFixed(1)} s\n`);
  expect(await readdir(out)).toContain("index.html");
  expect(processor).toBeGreaterThan(0.5);
  expect(processor).toBeLessThan(MOST_SECONDS);
});
