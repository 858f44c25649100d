import { isObject } from "../../model/json.ts";
import type { PrinterColumn } from "./generate-crd.ts";
import type { Schema } from "./convert-schema.ts";

const COLUMNS: readonly (PrinterColumn & { field: string })[] = [
  { field: "provider", name: "PROVIDER", type: "string", jsonPath: ".spec.provider" },
  { field: "schedulingLocation", name: "REGION", type: "string", jsonPath: ".spec.schedulingLocation" },
  { field: "instanceType", name: "TYPE", type: "string", jsonPath: ".spec.instanceType" },
  { field: "kubernetesVersion", name: "VERSION", type: "string", jsonPath: ".spec.kubernetesVersion" },
  { field: "schedulingTime", name: "START", type: "string", jsonPath: ".spec.schedulingTime" },
];

const REASON: PrinterColumn = {
  name: "REASON",
  type: "string",
  jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
};

/** Columns that show where and when, for the fields that the chart's schema has. Krateo's CRDs lack them. */
export function placementColumns(schema: Schema): PrinterColumn[] {
  const fields = isObject(schema["properties"]) ? schema["properties"] : {};
  const placed = COLUMNS.filter(({ field }) => field in fields).map(({ field: _, ...column }) => column);
  return [...placed, REASON];
}
