import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkloadObject } from "../../model/workload.ts";
import { buildValues } from "../../composition/release/build-values.ts";
import { releaseName } from "../../composition/release/release-name.ts";
import { renderChart } from "../../composition/helm/render-chart.ts";
import type { Kind } from "../../model/names.ts";
import { toolPath } from "../../toolchain/tool-path.ts";
import type { Cli } from "../cli.ts";
import type { RenderChart } from "./plan-objects.ts";

/** The folder of each kind's chart. */
const CHARTS: Readonly<Record<Kind, string>> = { VmTemplate: "vmtemplate", KaasCluster: "kaas-cluster" };

/** Of an object that no cluster knows. */
const NO_UID = "00000000-0000-0000-0000-000000000000";

/** The values that the composition controller would pass. */
function valuesOf(kind: Kind, { apiVersion, metadata, spec = {} }: WorkloadObject): Record<string, unknown> {
  const composition = { apiVersion, kind, metadata, spec };
  const served = { kind, plural: `${kind.toLowerCase()}s`, version: apiVersion.split("/")[1] ?? "" };
  return buildValues({ composition, served, krateoNamespace: "krateo-system" });
}

/**
 * Renders the chart of a kind out of the folder `charts`, by the real helm. With a kubeconfig, values that exist only in
 * that cluster are looked up there, as they are when the chart is installed.
 */
export function chartRenderer(
  { env: { PATH = "", HOME } }: Pick<Cli, "env">,
  charts: string,
  kubeconfig: string | null = null,
): RenderChart {
  return async (kind, object) => {
    const { name = "preview", namespace = "default", uid = NO_UID } = object.metadata;
    const named = { ...object, metadata: { ...object.metadata, name, namespace, uid } };
    const binary = await toolPath("helm");
    // Nothing of the user's own helm set-up (plug-ins, repositories) may change what is shown.
    const home = await mkdtemp(join(tmpdir(), "landfall-helm-"));
    const own = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: home };
    // The plug-in that makes a kubeconfig's credentials looks for its own files in the user's folder.
    const env = { ...own, HOME: kubeconfig === null ? home : (HOME ?? home), PATH };
    const helm = { binary, kubeconfig, env };
    const chartDir = join(charts, CHARTS[kind]);
    // Under another release's name helm would see the installed resources as somebody else's.
    const input = { helm, chartDir, values: valuesOf(kind, named), name: releaseName(name, uid), namespace };
    try {
      return await renderChart(input);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  };
}
