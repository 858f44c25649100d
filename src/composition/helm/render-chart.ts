import { LandfallError } from "../../errors.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";
import { explainFailure } from "./explain-failure.ts";
import { parseManifest } from "./parse-manifest.ts";
import type { Helm } from "./run-helm.ts";
import { runHelm } from "./run-helm.ts";

export interface RenderInput {
  helm: Helm;
  /** Directory or .tgz of the chart. */
  chartDir: string;
  values: Record<string, unknown>;
  /** Release name. */
  name: string;
  namespace: string;
}

/** Lets `lookup` query the cluster; nothing is written. */
const LOOKUPS = ["--dry-run=server"];

/**
 * The objects of the chart with these values, by `helm template`, which validates the chart's schema. Without a
 * kubeconfig, no cluster is contacted; with one, for the chart's look-ups. Throws REL_RENDER with helm's message.
 */
export async function renderChart(input: RenderInput): Promise<KubernetesObject[]> {
  const { helm, chartDir, values, name, namespace } = input;
  const result = await runHelm(helm, {
    args: [
      "template",
      name,
      chartDir,
      "--namespace",
      namespace,
      "--no-hooks",
      "-f",
      "-",
      ...(helm.kubeconfig === null ? [] : LOOKUPS),
    ],
    input: JSON.stringify(values),
  });
  if (result.code === 0) return parseManifest(result.stdout);
  const failure = explainFailure({ action: "template", release: name, chart: chartDir, stderr: result.stderr });
  throw new LandfallError("REL_RENDER", { chart: chartDir, detail: String(failure.params["detail"]) });
}
