import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { WorkloadObject } from "../../../model/workload.ts";
import { createClient, type KubeClient } from "../../../cluster/client/create-client.ts";
import { discover, type Discovery, objectPath } from "../../../cluster/discover.ts";
import { kubeconfigFile, loadKubeconfig } from "../../../cluster/client/load-kubeconfig.ts";
import type { Kind } from "../../../model/names.ts";
import { overSince } from "../../../model/runs/run-of.ts";
import { chartRenderer } from "../../objects/chart-renderer.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { CLUSTER_DEFAULT } from "../../options/cluster-options.ts";
import { single } from "../../options/decision-options.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { compareInstalled, type Installed, type ResourceDifference } from "./compare-installed.ts";
import { formatDifference } from "../../output/format-difference.ts";
import type { RenderChart } from "../../objects/plan-objects.ts";
import { repeated } from "../../options/repeated.ts";
import { readObjects } from "../../objects/read-objects.ts";
import { ApiError } from "../../../cluster/client/api-error.ts";
import { LandfallError } from "../../../errors.ts";
import type { Resource } from "../../../model/kubernetes.ts";

/** The cluster's dry-run result for an object; `live` is the present object, null if there is none. */
export type Answer = { denied: string } | { denied: null; admitted: Resource; live: Resource | null };

const DRY_RUN = { dryRun: "All", fieldManager: "landfall-diff" } as const;
/** Bad request, forbidden (denied by a webhook), and rejected by the CRD's schema. */
const REFUSED = new Set([400, 403, 422]);

/** The user's object with the live one's metadata from other tools. */
function replacement(object: WorkloadObject, { metadata: live }: Resource): WorkloadObject {
  const { metadata } = object;
  const annotations = { ...live.annotations, ...metadata.annotations };
  const labels = { ...live.labels, ...metadata.labels };
  return { ...object, metadata: { ...live, ...metadata, annotations, labels } };
}

/**
 * Sends a dry run to the cluster: its own webhook decides with its own bundle and data, and nothing is stored. Throws
 * CLI_KIND, REL_API, REL_API_AWAY.
 */
async function askServer(client: KubeClient, discovery: Discovery, object: WorkloadObject): Promise<Answer> {
  const { apiVersion, kind, metadata } = object;
  const resource = await discovery.find(apiVersion, kind);
  if (resource === null) throw new LandfallError("CLI_KIND", { apiVersion, kind });
  const namespace = metadata.namespace ?? "default";
  const path = objectPath(apiVersion, resource, namespace, metadata.name ?? "");
  const live = metadata.name === undefined ? null : await client.get<Resource>(path);
  try {
    const admitted =
      live === null
        ? await client.create<Resource>(objectPath(apiVersion, resource, namespace, null), object, DRY_RUN)
        : await client.replace<Resource>(path, replacement(object, live), DRY_RUN);
    return { denied: null, admitted, live };
  } catch (thrown) {
    if (thrown instanceof ApiError && REFUSED.has(thrown.status)) return { denied: String(thrown.params["detail"]) };
    throw thrown;
  }
}

interface DiffOptions extends OutputFlags {
  file: string[];
  kubeconfig?: string;
  charts?: string;
}

interface ObjectDifference {
  object: { kind: string; namespace: string; name: string };
  /** Why the cluster would deny the object; null if it would not. */
  denied: string | null;
  /** Changes of the object's own spec; null if it does not exist yet. */
  spec: { before: unknown; after: unknown } | null;
  /** Since when its run is over, so that nothing is installed for it; null for any other object. */
  over: string | null;
  resources: ResourceDifference[];
}

interface Tools extends Pick<Installed, "client" | "discovery"> {
  render: RenderChart;
}

async function differenceOf(kind: Kind, object: WorkloadObject, tools: Tools): Promise<ObjectDifference> {
  const { client, discovery, render } = tools;
  const { name = "", namespace = "default" } = object.metadata;
  const about = { object: { kind, namespace, name } };
  const answer = await askServer(client, discovery, object);
  if (answer.denied !== null) return { ...about, denied: answer.denied, spec: null, over: null, resources: [] };
  const { admitted, live } = answer;
  const spec = { before: live?.spec ?? null, after: admitted.spec };
  const over = live === null ? null : overSince(live, admitted);
  if (over !== null) return { ...about, denied: null, spec, over, resources: [] };
  const manifests = await render(kind, admitted);
  const resources = await compareInstalled(manifests, live, { client, discovery, namespace });
  return { ...about, denied: null, spec, over: null, resources };
}

const differs = ({ spec, resources }: ObjectDifference): boolean =>
  JSON.stringify(spec?.before) !== JSON.stringify(spec?.after) || resources.some(({ change }) => change !== "none");

const MARK = { create: "+", change: "~", remove: "-", none: " " } as const;

/** The resources that differ, and with `isWide` the names of those that stay as they are. */
function formattedResources(resources: readonly ResourceDifference[], isWide: boolean, colors: Cli["colors"]): string {
  const changed = resources.filter(({ change }) => change !== "none");
  const lines = changed.map(
    ({ change, kind, name, before, after }) =>
      `  ${MARK[change]} ${kind} ${name}\n${formatDifference(before, after, colors, "    ")}`,
  );
  const same = isWide ? resources.filter(({ change }) => change === "none") : [];
  return [...lines, ...same.map(({ kind, name }) => `  ${MARK.none} ${kind} ${name}\n`)].join("");
}

function standing(over: string | null, isSame: boolean): string {
  if (over !== null) return `  its run is over since ${over}: nothing is installed for it\n`;
  return isSame ? "  as installed\n" : "";
}

/** `isWide` also names the resources that stay as they are. */
function formatted(one: ObjectDifference, isWide: boolean, { colors }: Cli): string {
  const { object, denied, spec, over, resources } = one;
  const title = colors.bold(`${object.kind} ${object.namespace}/${object.name}`);
  if (denied !== null) return `${title}\n  ${colors.red("denied")} ${denied}\n`;
  const own = formatDifference(spec?.before, spec?.after, colors, "    ");
  const isSame = resources.every(({ change }) => change === "none") && !/^ *[-+] /m.test(own);
  const specText = isSame ? "" : `  ${spec?.before === null ? "+" : "~"} spec\n${own}`;
  return `${title}\n${standing(over, isSame)}${specText}${formattedResources(resources, isWide, colors)}`;
}

const FILES =
  "YAML or JSON file with VmTemplates or KaasClusters, a folder, a pattern, or - for standard input; several, or repeated";

async function diff(cli: Cli, options: DiffOptions): Promise<void> {
  const { workloads } = await readObjects(options.file, cli);
  const client = createClient(await loadKubeconfig(options.kubeconfig, cli.env));
  try {
    const kubeconfig = kubeconfigFile(options.kubeconfig, cli.env);
    const render = chartRenderer(cli, resolve(options.charts ?? join(cli.root, "charts")), kubeconfig);
    const tools = { client, discovery: discover(client), render };
    const found: ObjectDifference[] = [];
    for (const { kind, object } of workloads) found.push(await differenceOf(kind, object, tools));
    writeResult(cli, options.output, single(found), (isWide) =>
      found.map((one) => formatted(one, isWide, cli)).join("\n"),
    );
    if (found.some(({ denied }) => denied !== null)) cli.exit(EXIT.denied);
    else cli.exit(found.some(differs) ? EXIT.differs : EXIT.allowed);
  } finally {
    await client.close();
  }
}

/** `landfall diff`: what applying objects would change in a cluster, by its own answer. */
export function addDiff(program: Command, cli: Cli): void {
  withOutput(program.command("diff"))
    .description("Show how applying objects would change the installed resources. Read-only.")
    .requiredOption("-f, --file <paths...>", FILES, repeated)
    .option("--kubeconfig <file>", `the cluster (${CLUSTER_DEFAULT})`)
    .option("--charts <folder>", "folder of the charts (default: the project's own)")
    .action((options: DiffOptions) => diff(cli, options));
}
