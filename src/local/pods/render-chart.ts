import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { parseAllDocuments } from "yaml";
import { LandfallError } from "../../errors.ts";
import { KUBERNETES_YAML } from "../../model/formats/kubernetes-yaml.ts";
import type { KubernetesObject, Resource } from "../../model/kubernetes.ts";
import { SYSTEM_NAMESPACE } from "../control-plane/write-pki.ts";
import type { Stage } from "../processes/launch.ts";
import { projectPath } from "../processes/project-path.ts";
import type { PodSpec } from "./pod-spec.ts";

export interface RenderedChart {
  /** The files that Pods mount. */
  configMaps: Resource[];
  /** The Pods of the Deployments, by their names. */
  pods: ReadonlyMap<string, PodSpec>;
}

interface Deployment extends KubernetesObject {
  spec: { template: { spec: PodSpec } };
}

const isDeployment = (object: KubernetesObject): object is Deployment => object.kind === "Deployment";

/** Renders the chart that installs Landfall in clusters. Errors: TOOL_FAILED with what helm says. */
export async function renderChart(stage: Stage, helm: string, values: object): Promise<RenderedChart> {
  const file = join(stage.paths.root, "chart-values.json");
  await writeFile(file, `${JSON.stringify(values, null, 2)}\n`);
  const args = ["template", "landfall", projectPath("charts/landfall"), "-n", SYSTEM_NAMESPACE, "--values", file];
  const { stdout, stderr, failed, shortMessage } = await execa(helm, args, {
    ...{ env: stage.env, extendEnv: false, reject: false },
  });
  if (failed)
    throw new LandfallError("TOOL_FAILED", { tool: `${helm} template`, detail: stderr || (shortMessage ?? "") });
  const objects = parseAllDocuments(stdout, KUBERNETES_YAML).flatMap((document) => {
    const object = document.toJS() as Resource | null;
    return object === null ? [] : [object];
  });
  return {
    configMaps: objects.filter(({ kind }) => kind === "ConfigMap"),
    pods: new Map(objects.filter(isDeployment).map(({ metadata, spec }) => [metadata.name ?? "", spec.template.spec])),
  };
}
