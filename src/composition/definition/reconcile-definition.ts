import { LandfallError, messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import { COMPOSITION_GROUP } from "../../model/names.ts";
import { type Crd, generateCrd, type PrinterColumn } from "./generate-crd.ts";
import { fetchChart } from "../chart/fetch-chart.ts";
import type { Chart, ChartReference, CompositionDefinition, ServedChart } from "../types.ts";
import { ensureCrd } from "./ensure-crd.ts";
import { readPassword } from "./read-password.ts";
import { writeFormSchema } from "./write-form-schema.ts";
import type { Schema } from "./convert-schema.ts";
import type { DefinitionContext } from "./definition-context.ts";
import { isUsed } from "./use-of.ts";
import { condition, writeStatus } from "./write-status.ts";

/** A column of `kubectl get -o wide`. */
const wide = (field: string, name: string, jsonPath: string): PrinterColumn & { field: string } => ({
  ...{ field, name, type: "string", jsonPath, priority: 1 },
});

const COLUMNS: readonly (PrinterColumn & { field: string })[] = [
  { field: "provider", name: "PROVIDER", type: "string", jsonPath: ".spec.provider" },
  { field: "schedulingLocation", name: "REGION", type: "string", jsonPath: ".spec.schedulingLocation" },
  { field: "instanceType", name: "TYPE", type: "string", jsonPath: ".spec.instanceType" },
  { field: "kubernetesVersion", name: "VERSION", type: "string", jsonPath: ".spec.kubernetesVersion" },
  { field: "schedulingTime", name: "START", type: "string", jsonPath: ".status.planned.starts" },
  { field: "schedulingTime", name: "ENDS", type: "string", jsonPath: ".status.planned.ends" },
  { field: "schedulingTime", name: "PRICE/H", type: "string", jsonPath: ".status.planned.pricePerHour" },
  { field: "schedulingTime", name: "GCO2", type: "string", jsonPath: ".status.planned.gramsCO2" },
  wide("instanceType", "ADDRESS", ".status.machine.publicAddresses[0]"),
  wide("instanceType", "INTERNAL", ".status.machine.privateAddresses[0]"),
  wide("instanceType", "ID", ".status.machine.id"),
  wide("nodePools", "ENDPOINT", ".status.endpoint"),
  wide("nodePools", "RUNS", ".status.version"),
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

async function serve(
  context: DefinitionContext,
  definition: CompositionDefinition,
  reference: ChartReference,
): Promise<ServedChart> {
  const password = await readPassword(context, definition, reference);
  const { chartDirectory: directory, log } = context;
  const chart = await fetchChart({ ...context, reference, password, directory, check: crdOf });
  const { name: chartName, version: chartVersion } = chart;
  const generated = crdOf(chart);
  const crd = await ensureCrd(context.client, generated);
  const version = generated.spec.versions[0]?.name ?? "";
  const ready = [condition("Ready", true, "Available", ""), condition("Synced", true, "ReconcileSuccess", "")];
  const status = { ...successStatus(reference, chart, crd), apiVersion: `${COMPOSITION_GROUP}/${version}` };
  await writeStatus(context, definition, ready, status);
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
 * count. Throws REL_CHART_…, REL_KIND_DELETED, and API errors.
 */
export async function reconcileDefinition(
  context: DefinitionContext,
  definition: CompositionDefinition,
): Promise<ServedChart | null> {
  const reference = definition.spec.chart;
  if (!reference) return null;
  if (!isUsed(context, definition)) {
    await refuse(context, definition);
    return null;
  }
  try {
    return await serve(context, definition, reference);
  } catch (thrown) {
    const message = thrown instanceof LandfallError ? thrown.line : messageOf(thrown);
    const failed = [
      condition("Ready", false, "Creating", message),
      condition("Synced", false, "ReconcileError", message),
    ];
    await writeStatus(context, definition, failed, {}).catch(() => undefined);
    throw thrown;
  }
}
