import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderChart } from "../../../src/composition/helm/render-chart.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

export const CHART = fileURLToPath(new URL("../../../charts/vmtemplate", import.meta.url));

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
}

/** A copy of the chart without its schema, to test the templates alone with values that the schema rejects. */
export async function chartWithoutSchema(): Promise<string> {
  const copy = join(await mkdtemp(join(tmpdir(), "landfall-chart-")), "vm-template");
  await cp(CHART, copy, { recursive: true, filter: (path) => !path.endsWith("values.schema.json") });
  return copy;
}

/** The real helm's output of the chart with these values, as release `web`. */
export async function renderVm(values: Record<string, unknown>, chartDir = CHART): Promise<Manifest[]> {
  const home = await mkdtemp(join(tmpdir(), "landfall-helm-"));
  const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  const helm = { binary: await toolPath("helm"), kubeconfig: null, env };
  const manifests = await renderChart({ helm, chartDir, values, name: "web", namespace: "demo" });
  return manifests as unknown as Manifest[];
}
