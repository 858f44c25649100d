import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, it, onTestFinished } from "vitest";
import { parseManifest } from "../../../../src/composition/helm/parse-manifest.ts";
import { renderChart } from "../../../../src/composition/helm/render-chart.ts";
import { toolPath } from "../../../../src/toolchain/tool-path.ts";

const env = { HOME: tmpdir(), PATH: process.env["PATH"] ?? "" };
const helmHere = async () => ({ binary: await toolPath("helm"), env, kubeconfig: null });

/** The template of a platform's chart that passes a free map on. */
const MAP =
  "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map\ndata:\n  {{- toYaml .Values.data | nindent 2 }}\n";

/** A chart with this template. */
async function chartOf(template: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-155-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "templates"));
  await writeFile(join(folder, "Chart.yaml"), "apiVersion: v2\nname: map\nversion: 0.1.0\n");
  await writeFile(join(folder, "templates", "map.yaml"), template);
  return folder;
}

it("155: a tenant's map of 20,000 keys does not hold up the controller's thread", async () => {
  const helm = await helmHere();
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${String(index)}`, "1"]));
  const chartDir = await chartOf(MAP);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const [map] = await renderChart({ helm, chartDir, values: { data }, name: "r", namespace: "t" });
  delay.disable();
  expect(Object.keys((map as unknown as { data: object }).data)).toHaveLength(20_000);
  // On the main thread, comparing the keys took 7 s.
  expect(delay.max / 1e6).toBeLessThan(2000);
});

it("155: of a key that is there twice, the last value counts, as for helm", async () => {
  const twice = (filler: string): string => `kind: ConfigMap\nmetadata: { name: a, name: b }\n${filler}`;
  const long = `data:\n${'  k: "1"\n'.repeat(5000)}`;
  expect(await parseManifest(twice(""))).toEqual([{ kind: "ConfigMap", metadata: { name: "b" } }]);
  expect(await parseManifest(twice(long))).toEqual([{ kind: "ConfigMap", metadata: { name: "b" }, data: { k: "1" } }]);
});

it("155: helm, with the library of the API server's clients, takes the last value too", async () => {
  const template = 'kind: A\nmetadata:\n  name: {{ get (fromYaml "a: first\\na: second") "a" }}\n';
  const chart = { chartDir: await chartOf(template), values: {}, name: "r", namespace: "t" };
  expect(await renderChart({ helm: await helmHere(), ...chart })).toEqual([
    { kind: "A", metadata: { name: "second" } },
  ]);
});

it.each([
  ["is too long", `a: ${"x".repeat(2 * 1024 * 1024)}`, "at most 2097152 are allowed"],
  ["has an alias without an anchor", "kind: A\nmetadata: *x\n", "alias"],
  ["has one in a long text", `kind: A\nmetadata: *x\n${"# \n".repeat(20_000)}`, "alias"],
])("155: a manifest that %s is refused with a code", async (_, yaml, text) => {
  const parsed = parseManifest(yaml);
  await expect(parsed).rejects.toMatchObject({ code: "REL_RENDER" });
  await expect(parsed).rejects.toThrow(text);
});
