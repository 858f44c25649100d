import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderChart } from "../composition/render-chart.ts";
import { COMPOSITION_GROUP, type Kind } from "../model/names.ts";
import { toolPath } from "../toolchain/tool-path.ts";
import type { Cli } from "./cli.ts";
import type { RenderChart } from "./plan-objects.ts";

/** The folder of each kind's chart. */
const CHARTS: Readonly<Record<Kind, string>> = { VmTemplate: "vmtemplate", KaasCluster: "kaas-cluster" };

/** What the composition controller adds to the values; without a cluster there is no uid. */
function globals(kind: Kind, name: string, namespace: string, uid: string | undefined): Record<string, unknown> {
  return {
    compositionName: name,
    compositionNamespace: namespace,
    compositionId: uid ?? "00000000-0000-0000-0000-000000000000",
    compositionGroup: COMPOSITION_GROUP,
    compositionKind: kind,
    compositionResource: `${kind.toLowerCase()}s`,
    gracefullyPaused: false,
    krateoNamespace: "krateo-system",
  };
}

/** Renders the chart of a kind out of the folder `charts`, by the real helm. */
export function chartRenderer({ env: { PATH = "" } }: Pick<Cli, "env">, charts: string): RenderChart {
  return async (kind, object) => {
    const { name = "preview", namespace = "default", uid } = object.metadata;
    // Nothing of the user's own helm set-up (plug-ins, repositories) may change what is shown.
    const home = join(tmpdir(), "landfall-helm");
    const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, PATH };
    const helm = { binary: await toolPath("helm"), kubeconfig: null, env };
    const values = { ...object.spec, global: globals(kind, name, namespace, uid) };
    return renderChart({ helm, chartDir: join(charts, CHARTS[kind]), values, name, namespace });
  };
}
