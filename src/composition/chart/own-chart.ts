import { describe } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { valuesIn } from "../helm/stored-release.ts";
import { LABEL } from "../keys.ts";
import type { Resource, ServedChart } from "../types.ts";

const withLabels = (object: Resource, labels: Record<string, string>): Resource => ({
  ...object,
  metadata: { ...object.metadata, labels },
});

/** The version of the chart that the object's release was installed with; null if none is recorded. */
async function recordedVersion({ records }: CompositionContext, { metadata }: Resource): Promise<string | null> {
  const { namespace = "", uid = "" } = metadata;
  const release = await records.find(namespace, uid);
  const [newest] = release === null ? [] : ((await records.read(namespace, release))?.revisions ?? []);
  if (newest === undefined) return null;
  const { global } = valuesIn(newest.release);
  const version = isObject(global) ? global["compositionInstalledVersion"] : undefined;
  return typeof version === "string" ? version : "";
}

/**
 * The chart behind a composition. Anyone who may change the object may change the labels that name its chart: where they name none
 * that is served, the record of its release does. Null if it does not belong to us.
 */
export async function ownChart(context: CompositionContext, { object }: Composition): Promise<ServedChart | null> {
  const labelled = context.servedFor(object);
  if (labelled !== null) return labelled;
  // Also null as long as no chart of its kind is served.
  const any = context.servedFor(withLabels(object, {}));
  if (any === null) return null;
  const version = await recordedVersion(context, object);
  if (version === null) return null;
  const { message } = describe("REL_CHART_LABELS", { kind: object.kind, name: object.metadata.name ?? "" });
  context.record(object, {
    type: "Warning",
    reason: "REL_CHART_LABELS",
    message: `${message} [REL_CHART_LABELS]`,
  });
  return context.servedFor(withLabels(object, { [LABEL.version]: version })) ?? any;
}
