import { isObject, textOf } from "../../model/json.ts";
import type { Resource, ServedChart } from "../types.ts";
import { LABEL } from "../keys.ts";

/** The API version in which the composition was first written, which its user meant. */
function writtenIn(composition: Resource): string | null {
  const fields = (composition.metadata as { managedFields?: unknown }).managedFields;
  const entries = Array.isArray(fields) ? fields.filter(isObject) : [];
  const first = entries
    .filter((entry) => entry["subresource"] === undefined && typeof entry["apiVersion"] === "string")
    .sort((a, b) => textOf(a["time"]).localeCompare(textOf(b["time"])))[0];
  return first ? (textOf(first["apiVersion"]).split("/")[1] ?? null) : null;
}

/**
 * The chart behind a composition: by its version label, otherwise by the API version in which it was written. If no
 * definition serves that version any more, the composition follows its definition to the new version. Null if it does
 * not belong to us.
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
