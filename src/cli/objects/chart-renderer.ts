import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkloadObject } from "../../model/workload.ts";
import { buildValues } from "../../composition/release/build-values.ts";
import { releaseName } from "../../composition/release/find-release.ts";
import { renderChart } from "../../composition/helm/render-chart.ts";
import { type Kind, OBJECT_VERSION } from "../../model/names.ts";
import { toolPath } from "../../toolchain/tool-path.ts";
import type { Cli } from "../cli.ts";
import type { RenderChart } from "./plan-objects.ts";

/** The chart's folder by kind. */
const CHARTS: Readonly<Record<Kind, string>> = { VmTemplate: "vmtemplate", KaasCluster: "kaas-cluster" };

/** Placeholder for an object outside of a cluster. */
const NO_UID = "00000000-0000-0000-0000-000000000000";

/** The values that the composition controller would pass. */
function valuesOf(kind: Kind, { apiVersion, metadata, spec = {} }: WorkloadObject): Record<string, unknown> {
  const composition = { apiVersion, kind, metadata, spec };
  const served = { kind, plural: `${kind.toLowerCase()}s`, version: OBJECT_VERSION };
  return buildValues({ composition, served, krateoNamespace: "krateo-system" });
}

/** Renders the chart of a kind from the folder `charts` with the real helm. */
export const chartRenderer = (cli: Pick<Cli, "env">, charts: string, kubeconfig: string | null = null): RenderChart =>
  rendererOf(cli, (kind) => join(charts, CHARTS[kind]), kubeconfig);

/**
 * Renders the chart in the folder of a kind with the real helm. With a kubeconfig, values that exist only in that cluster are looked up
 * there, as in an installation.
 */
export function rendererOf(
  { env: { PATH = "", HOME } }: Pick<Cli, "env">,
  folderOf: (kind: Kind) => string,
  kubeconfig: string | null,
): RenderChart {
  return async (kind, object) => {
    const { name = "preview", namespace = "default", uid = NO_UID } = object.metadata;
    const named = { ...object, metadata: { ...object.metadata, name, namespace, uid } };
    const binary = await toolPath("helm");
    // The user's own helm configuration (plug-ins, repositories) must not change the output.
    const home = await mkdtemp(join(tmpdir(), "landfall-helm-"));
    const own = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: home };
    // A credentials plug-in of the kubeconfig reads its own files from the user's folder.
    const env = { ...own, HOME: kubeconfig === null ? home : (HOME ?? home), PATH };
    const helm = { binary, kubeconfig, env };
    const chartDir = folderOf(kind);
    // With another release name, helm would treat the installed resources as foreign.
    const input = { helm, chartDir, values: valuesOf(kind, named), name: releaseName(name, uid), namespace };
    try {
      return await renderChart(input);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  };
}
