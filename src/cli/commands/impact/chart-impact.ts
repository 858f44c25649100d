import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import Table from "cli-table3";
import { parse } from "yaml";
import { versionPath, below } from "../../../cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../cluster/client/create-client.ts";
import { kubeconfigFile, loadKubeconfig } from "../../../cluster/client/load-kubeconfig.ts";
import { discover } from "../../../cluster/discover.ts";
import { listObjects } from "../../../cluster/list-objects.ts";
import { withServedVersion } from "../../../cluster/served-version.ts";
import { lineOf, LandfallError } from "../../../errors.ts";
import { isObject, textOf } from "../../../model/json.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { API_VERSION, COMPOSITION_LABEL, type Kind, PLURAL } from "../../../model/names.ts";
import type { Cli } from "../../cli.ts";
import { rendererOf } from "../../objects/chart-renderer.ts";
import type { RenderChart } from "../../objects/plan-objects.ts";
import { compareInstalled, type ResourceChange, type ResourceDifference } from "../diff/compare-installed.ts";

/** The effect of a new version of a chart on one object. */
export interface ChartImpact {
  object: { kind: Kind; namespace: string; name: string };
  /** Why the chart cannot be rendered for it; null if it can. */
  failed: string | null;
  /** The resources that it would create, change or remove. */
  resources: ResourceDifference[];
}

export interface ChartReport {
  chart: { name: string; version: string };
  summary: { objects: number; changed: number; failed: number } & Record<Exclude<ResourceChange, "none">, number>;
  objects: ChartImpact[];
}

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["vm-template", "VmTemplate"],
  ["kaas-cluster", "KaasCluster"],
]);

async function readChart(folder: string): Promise<{ name: string; version: string; kind: Kind }> {
  const file = join(folder, "Chart.yaml");
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    throw new LandfallError("CLI_USAGE", { detail: `--chart ${folder}: ${file} cannot be read` }, thrown);
  });
  const about: unknown = parse(text);
  const [name, version] = isObject(about) ? [textOf(about["name"]), textOf(about["version"])] : ["", ""];
  const kind = KINDS.get(name);
  if (kind !== undefined) return { name, version, kind };
  const detail = `--chart ${folder}: the chart is called ${name}; write the folder of ${[...KINDS.keys()].join(" or ")}`;
  throw new LandfallError("CLI_USAGE", { detail });
}

/** The objects of a kind that have a release. */
async function installed(client: KubeClient, kind: Kind): Promise<Resource[]> {
  const { items } = await withServedVersion((served) =>
    listObjects(client, below(versionPath(served), PLURAL[kind]), {}),
  );
  return items
    .filter(({ metadata: { labels = {} } }) => labels[COMPOSITION_LABEL.releaseName] !== undefined)
    .map((object) => ({ ...object, apiVersion: API_VERSION, kind }));
}

interface Tools {
  client: KubeClient;
  render: RenderChart;
  kind: Kind;
}

async function impactOn(object: Resource, { client, render, kind }: Tools): Promise<ChartImpact> {
  const { name = "", namespace = "" } = object.metadata;
  const about = { object: { kind, namespace, name } };
  try {
    const manifests = await render(kind, object);
    const resources = await compareInstalled(manifests, object, { client, discovery: discover(client), namespace });
    return { ...about, failed: null, resources: resources.filter(({ change }) => change !== "none") };
  } catch (thrown) {
    return { ...about, failed: lineOf(thrown), resources: [] };
  }
}

function sumUp(objects: readonly ChartImpact[]): ChartReport["summary"] {
  const count = (change: ResourceChange): number =>
    objects.flatMap(({ resources }) => resources).filter((one) => one.change === change).length;
  return {
    ...{ objects: objects.length, changed: objects.filter(({ resources }) => resources.length > 0).length },
    failed: objects.filter(({ failed }) => failed !== null).length,
    ...{ create: count("create"), change: count("change"), remove: count("remove") },
  };
}

/**
 * Renders a chart for each installed object of its kind, of one namespace if it is given, and compares the result with the existing resources. Read-only. Throws CLI_USAGE
 * for a folder that is not a chart of Landfall's.
 */
export async function chartImpact(
  cli: Cli,
  { chart, kubeconfig, namespace }: { chart: string; kubeconfig: string | undefined; namespace: string | undefined },
): Promise<ChartReport> {
  const folder = resolve(chart);
  const { name, version, kind } = await readChart(folder);
  const client = createClient(await loadKubeconfig(kubeconfig, cli.env));
  try {
    const render = rendererOf(cli, () => folder, kubeconfigFile(kubeconfig, cli.env));
    const found: ChartImpact[] = [];
    const objects = (await installed(client, kind)).filter(
      ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
    );
    for (const object of objects) found.push(await impactOn(object, { client, render, kind }));
    const affected = found.filter(({ failed, resources }) => failed !== null || resources.length > 0);
    return { chart: { name, version }, summary: sumUp(found), objects: affected };
  } finally {
    await client.close();
  }
}

const MARK = { create: "+", change: "~", remove: "-", none: " " } as const;

/** The report for people. */
export function chartTable({ chart, summary, objects }: ChartReport): string {
  const { changed, failed, create, change, remove } = summary;
  const head =
    `chart ${chart.name} ${chart.version}: ${String(changed)} of ${String(summary.objects)} objects change, ${String(failed)} fail; ` +
    `resources: ${String(create)} created, ${String(change)} changed, ${String(remove)} removed\n`;
  if (objects.length === 0) return head;
  const table = new Table({ head: ["OBJECT", "RESOURCES"], style: { head: [], border: [] } });
  for (const { object, failed: why, resources } of objects)
    table.push([
      `${object.namespace}/${object.name}`,
      why ?? resources.map((one) => `${MARK[one.change]} ${one.kind} ${one.name}`).join("\n"),
    ]);
  return `${head}${table.toString()}\n`;
}
