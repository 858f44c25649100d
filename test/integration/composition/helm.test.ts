import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChartRegistry } from "../../../src/bundle/registry/open-chart-registry.ts";
import { fetchChart } from "../../../src/composition/chart/fetch-chart.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { openPins } from "../../../src/composition/chart/open-pins.ts";
import type { Helm } from "../../../src/composition/helm/run-helm.ts";
import { renderChart } from "../../../src/composition/helm/render-chart.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

const chartDir = fileURLToPath(new URL("../../fixtures/charts/test-vm", import.meta.url));
const coded = (code: string, text: string | RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(text) as string }) as Error;

let base: string;
let helm: Helm;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-helm-"));
  const home = { HELM_CACHE_HOME: base, HELM_CONFIG_HOME: base, HELM_DATA_HOME: base, HOME: base };
  helm = { binary: await toolPath("helm"), env: home, kubeconfig: null };
  // On a fresh machine helm is built first.
}, 600_000);
afterAll(() => rm(base, { recursive: true, force: true }));

describe("fetching a chart", () => {
  it("reads a directory, and reports what is wrong with it", async () => {
    const trust = {
      namespaces: [],
      passwordHosts: [],
      verify: null,
      signers: new Set<string>(),
      signaturesRequired: false,
    };
    const pins = openPins({} as KubeClient, "landfall-system");
    const fetch = (url: string) =>
      fetchChart({
        helm,
        registry: openChartRegistry({}),
        reference: { url },
        password: null,
        directory: base,
        pins,
        trust,
      });
    const read = await fetch(chartDir);
    expect(read).toMatchObject({ name: "test-vm", version: "0.1.0" });
    // A copy: objects keep it while the directory is edited.
    expect(read.directory).toBe(join(base, `directory-${read.digest}`));
    expect(await fetch(read.directory)).toMatchObject({ digest: read.digest });
    await expect(fetch("/no/such/folder")).rejects.toThrow(coded("REL_CHART_UNREADABLE", "no such directory"));
    await writeFile(join(base, "Chart.yaml"), "name: x\n");
    await expect(fetch(base)).rejects.toThrow(coded("REL_CHART_UNREADABLE", "lacks name or version"));
  });
});

describe("renderChart", () => {
  const render = (values: Record<string, unknown>) =>
    renderChart({ helm, chartDir, values, name: "r", namespace: "demo" });

  it("returns the chart's objects without a cluster", async () => {
    const objects = await render({ cpu: 2, disks: 2, global: { compositionName: "a" } });
    expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name ?? ""}`)).toEqual([
      "TestDisk/a-0",
      "TestDisk/a-1",
      "TestMachine/a",
      "TestNetwork/a",
    ]);
  });

  it("throws REL_RENDER with helm's message, for the template and for the schema", async () => {
    await expect(render({ cpu: 2, fail: "boom", global: {} })).rejects.toThrow(
      coded("REL_RENDER", "told to fail: boom"),
    );
    await expect(render({ cpu: 2, typo: 1 })).rejects.toThrow(
      coded("REL_RENDER", "additional properties 'typo' not allowed"),
    );
  });
});
