import { parseAllDocuments } from "yaml";
import { LandfallError, messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";
import { explainFailure } from "./explain-failure.ts";
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

const isManifest = (value: unknown): value is KubernetesObject =>
  isObject(value) && typeof value["kind"] === "string" && isObject(value["metadata"]);

/**
 * The objects in a release's YAML documents; documents that are empty or not an object are omitted. Throws REL_RENDER for
 * aliases that have no anchor or expand without a limit.
 */
export function parseManifest(yaml: string): KubernetesObject[] {
  try {
    return parseAllDocuments(yaml, { logLevel: "silent" })
      .map((document): unknown => document.toJS() as unknown)
      .filter(isManifest);
  } catch (thrown) {
    throw new LandfallError("REL_RENDER", { chart: "of the release", detail: messageOf(thrown) }, thrown);
  }
}

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
