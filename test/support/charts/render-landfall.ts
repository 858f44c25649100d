import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

export const LANDFALL_CHART = fileURLToPath(new URL("../../../charts/landfall", import.meta.url));

export type Rendered = KubernetesObject & Record<string, unknown>;

export interface PodTemplate {
  name: string;
  metadata: { labels: Record<string, string> };
  spec: { serviceAccountName: string; containers: Record<string, unknown>[] } & Record<string, unknown>;
}

interface RenderOptions {
  namespace?: string;
  /** `--set` and others. */
  args?: readonly string[];
  /** Folder or file of the chart; the project's own if it is omitted. */
  chart?: string;
}

/** What the real helm says of the chart with these values: its objects, or its error. */
export async function renderLandfall(
  values: Record<string, unknown> | string,
  { namespace = "landfall-system", args = [], chart = LANDFALL_CHART }: RenderOptions = {},
): Promise<{ objects: Rendered[]; error: string | null }> {
  const home = await mkdtemp(join(tmpdir(), "landfall-helm-"));
  const file = typeof values === "string" ? join(LANDFALL_CHART, "ci", values) : join(home, "values.yaml");
  if (typeof values !== "string") await writeFile(file, JSON.stringify(values));
  const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  const command = ["template", "landfall", chart, "--namespace", namespace, "--values", file, ...args];
  const { stdout, stderr, failed } = await execa(await toolPath("helm"), command, { env, reject: false });
  if (failed) return { objects: [], error: stderr };
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as Rendered | null);
  return { objects: objects.filter((object) => object !== null), error: null };
}

/** The Pods of Deployments, Jobs and tests. */
export const podTemplates = (objects: readonly Rendered[]): PodTemplate[] =>
  objects.flatMap((object) => {
    const spec = object["spec"] as { template?: PodTemplate } | undefined;
    const name = `${object.kind} ${object.metadata.name ?? ""}`;
    if (object.kind === "Pod") return [{ ...(object as unknown as PodTemplate), name }];
    return spec?.template?.spec === undefined ? [] : [{ ...spec.template, name }];
  });
