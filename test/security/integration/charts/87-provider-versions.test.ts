import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { CHART } from "../../../support/charts/render-cluster.ts";
import { renderVm } from "../../../support/charts/render-vm.ts";

/** A chart with the templates that compare versions, and one that shows what they say. */
async function chart(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "landfall-87-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, "templates"));
  await writeFile(join(directory, "Chart.yaml"), "apiVersion: v2\nname: versions\nversion: 1.0.0\n");
  await cp(join(CHART, "templates/_upgrade.tpl"), join(directory, "templates/_upgrade.tpl"));
  const shown = 'metadata: {name: x}\nspec: {older: {{ include "kaas.older" (list .Values.running "1.34") | quote }}}';
  await writeFile(join(directory, "templates/show.yaml"), `apiVersion: v1\nkind: Shown\n${shown}\n`);
  return directory;
}

it.each([
  ["1.33.5", "1.33.5"],
  ["1.33.5-gke.100", "1.33.5-gke.100"],
  ["1.34.0", ""],
  ["", ""],
  ["unknown", ""],
  ["v1.33", ""],
  ["99999999999999999999999.1", ""],
  [`1.${"9".repeat(100_000)}`, ""],
])("87: the version %.20s of a provider is compared, or ignored", async (running, older) => {
  const [shown] = await renderVm({ running }, await chart());
  expect(shown?.spec).toEqual({ older });
});
