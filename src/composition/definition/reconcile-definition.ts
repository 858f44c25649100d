import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { LandfallError } from "../../errors.ts";
import { canonicalJson, isObject } from "../../model/json.ts";
import { COMPOSITION_GROUP } from "../../model/names.ts";
import { formatTime } from "../../model/time.ts";
import { apiPath, below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/create-client.ts";
import type { EventRecorder } from "../../cluster/create-event-recorder.ts";
import { type Crd, generateCrd, type PrinterColumn } from "./generate-crd.ts";
import type { ChartTrust } from "../chart/chart-trust.ts";
import { fetchChart, type FetchedChart } from "../chart/fetch-chart.ts";
import type { Pins } from "../chart/open-pins.ts";
import type { Helm } from "../helm/run-helm.ts";
import { conditionsOf, mergeConditions } from "../../model/conditions.ts";
import type { Chart, ChartReference, CompositionDefinition, ConditionInput, ServedChart } from "../types.ts";
import { mergeCrd } from "./merge-crd.ts";
import { readPassword } from "./read-password.ts";
import { writeFormSchema } from "./write-form-schema.ts";
import type { Schema } from "./convert-schema.ts";

const COLUMNS: readonly (PrinterColumn & { field: string })[] = [
  { field: "provider", name: "PROVIDER", type: "string", jsonPath: ".spec.provider" },
  { field: "schedulingLocation", name: "REGION", type: "string", jsonPath: ".spec.schedulingLocation" },
  { field: "instanceType", name: "TYPE", type: "string", jsonPath: ".spec.instanceType" },
  { field: "kubernetesVersion", name: "VERSION", type: "string", jsonPath: ".spec.kubernetesVersion" },
  { field: "schedulingTime", name: "START", type: "string", jsonPath: ".spec.schedulingTime" },
  { field: "schedulingTime", name: "ENDS", type: "string", jsonPath: ".status.planned.ends" },
  { field: "schedulingTime", name: "PRICE/H", type: "string", jsonPath: ".status.planned.pricePerHour" },
  { field: "schedulingTime", name: "GCO2", type: "string", jsonPath: ".status.planned.gramsCO2" },
];

const REASON: PrinterColumn = {
  name: "REASON",
  type: "string",
  jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
};

/** Columns that show where and when, for the fields that the chart's schema has. Krateo's CRDs lack them. */
function placementColumns(schema: Schema): PrinterColumn[] {
  const fields = isObject(schema["properties"]) ? schema["properties"] : {};
  const placed = COLUMNS.filter(({ field }) => field in fields).map(({ field: _, ...column }) => column);
  return [...placed, REASON];
}

const crdOf = ({ schema, name, version, alsoServes }: Chart): Crd =>
  generateCrd({ schema, chartName: name, chartVersion: version, alsoServes, columns: placementColumns(schema) });

export interface DefinitionContext {
  client: KubeClient;
  /** A client with the rights of one namespace: the password of a chart repository is read with it. */
  clientIn: (namespace: string) => Promise<KubeClient>;
  helm: Pick<Helm, "binary" | "env">;
  record: EventRecorder;
  pins: Pins;
  trust: ChartTrust;
  log: Logger;
  nowSeconds: () => number;
  /** Where charts are unpacked. */
  chartDirectory: string;
}

const CRDS = apiPath`/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
const ESTABLISHED_TRIES = 100;

type LiveCrd = Crd & { status?: { conditions?: { type: string; status: string }[] } };

/** Creates the CRD or adds the version to the existing one; returns it once the API server serves it. */
async function ensureCrd(client: KubeClient, generated: Crd): Promise<LiveCrd> {
  const path = below(CRDS, generated.metadata.name ?? "");
  const existing = await client.get<Crd>(path);
  const merged = existing && mergeCrd(existing, generated);
  if (!existing) await client.create(CRDS, generated);
  else if (merged) await client.replace(path, merged);
  for (let tries = 0; tries < ESTABLISHED_TRIES; tries += 1) {
    const live = await client.get<LiveCrd>(path);
    if (live?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True")) return live;
    await sleep(100);
  }
  const detail = "the API server does not establish its CRD";
  throw new LandfallError("REL_CHART_SCHEMA", { chart: generated.spec.names.kind, detail });
}

function successStatus(reference: ChartReference, chart: Chart, crd: Crd): Record<string, unknown> {
  const { kind, plural } = crd.spec.names;
  const version = crd.spec.versions.find(({ storage }) => storage)?.name ?? "";
  const versionInfo = crd.spec.versions.map(({ name, served, storage }) => ({
    version: name,
    served,
    stored: storage,
    chart: reference,
  }));
  return {
    apiVersion: `${COMPOSITION_GROUP}/${version}`,
    kind,
    resource: plural,
    packageUrl: reference.url,
    digest: chart.digest,
    managed: { group: COMPOSITION_GROUP, kind, versionInfo },
  };
}

const condition = (type: string, ok: boolean, reason: string, message: string): ConditionInput => ({
  type,
  status: ok ? "True" : "False",
  reason,
  message,
});

async function writeStatus(
  context: DefinitionContext,
  definition: CompositionDefinition,
  conditions: ConditionInput[],
  rest: Record<string, unknown>,
): Promise<void> {
  const { namespace = "", name = "" } = definition.metadata;
  const path = apiPath`/apis/core.krateo.io/v1alpha1/namespaces/${namespace}/compositiondefinitions/${name}/status`;
  const merged = mergeConditions(conditionsOf(definition), conditions, formatTime(context.nowSeconds()));
  const status = { ...rest, conditions: merged };
  const before = definition.status ?? {};
  if (canonicalJson({ ...before, ...status }) === canonicalJson(before)) return;
  await context.client.patch(path, "merge", { status });
}

/** The condition about the pin of a chart. A registry that serves something else, or cannot be asked, is told about too. */
function reportPin(
  { record, log }: DefinitionContext,
  definition: CompositionDefinition,
  { pinned, problem, name }: FetchedChart,
): ConditionInput[] {
  if (pinned === null) return [];
  if (problem === null) return [condition("Pinned", true, "Unchanged", `its content is ${pinned}`)];
  log.warn({ chart: name, pinned, code: problem.code, error: problem.message }, "the pinned chart is used");
  if (problem.code !== "REL_CHART_MOVED") return [condition("Pinned", true, "NotFetched", problem.line)];
  record(definition, { type: "Warning", reason: problem.code, message: problem.line });
  return [condition("Pinned", false, "Moved", problem.line)];
}

async function serve(
  context: DefinitionContext,
  definition: CompositionDefinition,
  reference: ChartReference,
): Promise<ServedChart> {
  const password = await readPassword(context, definition, reference);
  const { helm, chartDirectory, log, pins, trust } = context;
  const chart = await fetchChart({ helm, reference, password, directory: chartDirectory, pins, trust, check: crdOf });
  const { name: chartName, version: chartVersion } = chart;
  const generated = crdOf(chart);
  generated.metadata.labels = { "app.kubernetes.io/managed-by": "landfall" };
  const crd = await ensureCrd(context.client, generated);
  const version = generated.spec.versions[0]?.name ?? "";
  const ready = [condition("Ready", true, "Available", ""), condition("Synced", true, "ReconcileSuccess", "")];
  const status = { ...successStatus(reference, chart, crd), apiVersion: `${COMPOSITION_GROUP}/${version}` };
  await writeStatus(context, definition, [...ready, ...reportPin(context, definition, chart)], status);
  const { kind, plural } = crd.spec.names;
  log.info({ chart: chartName, version: chartVersion, digest: chart.digest, kind }, "chart served");
  const { name = "", namespace = "" } = definition.metadata;
  const served = { definition: { name, namespace }, chart, url: reference.url, kind, plural, version };
  await writeFormSchema(context, definition, served);
  return served;
}

/** Says in the status of a definition that its namespace is not one for definitions. */
async function refuse(context: DefinitionContext, definition: CompositionDefinition): Promise<void> {
  const { namespace = "" } = definition.metadata;
  const allowed = context.trust.namespaces.join(", ");
  const { line } = new LandfallError("REL_DEFINITION_NAMESPACE", { namespace, allowed });
  const failed = ["Ready", "Synced"].map((type) => condition(type, false, "NamespaceNotAllowed", line));
  await writeStatus(context, definition, failed, {});
}

/**
 * One pass over one definition: chart, CRD, status. Null for one without a chart, and in a namespace whose definitions do not
 * count. Throws REL_CHART_…, and API errors.
 */
export async function reconcileDefinition(
  context: DefinitionContext,
  definition: CompositionDefinition,
): Promise<ServedChart | null> {
  const reference = definition.spec.chart;
  if (!reference) return null;
  if (!context.trust.namespaces.includes(definition.metadata.namespace ?? "")) {
    await refuse(context, definition);
    return null;
  }
  try {
    return await serve(context, definition, reference);
  } catch (thrown) {
    const message = thrown instanceof LandfallError ? thrown.line : String(thrown);
    const failed = [
      condition("Ready", false, "Creating", message),
      condition("Synced", false, "ReconcileError", message),
    ];
    await writeStatus(context, definition, failed, {}).catch(() => undefined);
    throw thrown;
  }
}
