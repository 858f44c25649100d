import { isObject } from "../model/json.ts";
import type { Resource, ServedChart } from "./types.ts";
import { LABEL } from "./keys.ts";

/** The version that the composition was written in first: who made it meant that one. */
function writtenIn(composition: Resource): string | null {
  const fields = (composition.metadata as { managedFields?: unknown }).managedFields;
  const entries = Array.isArray(fields) ? fields.filter(isObject) : [];
  const first = entries
    .filter((entry) => entry["subresource"] === undefined && typeof entry["apiVersion"] === "string")
    .sort((a, b) => String(a["time"]).localeCompare(String(b["time"])))[0];
  return first ? (String(first["apiVersion"]).split("/")[1] ?? null) : null;
}

/**
 * The chart behind a composition: by its version label, else by the version it was written in. A composition whose
 * version no definition serves any more follows its definition to the new version. Null where none of ours is meant.
 */
export function chooseChart(composition: Resource, charts: ServedChart[]): ServedChart | null {
  const labels = composition.metadata.labels ?? {};
  const own = charts.filter(({ kind }) => kind === composition.kind);
  const version = labels[LABEL.version] ?? writtenIn(composition);
  const exact = own.find((chart) => chart.version === version);
  if (exact) return exact;
  const { [LABEL.definitionName]: name, [LABEL.definitionNamespace]: namespace } = labels;
  if (name === undefined) return labels[LABEL.version] === undefined ? (own[0] ?? null) : null;
  return own.find(({ definition }) => definition.name === name && definition.namespace === namespace) ?? null;
}
