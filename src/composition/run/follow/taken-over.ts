import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import { LABEL } from "../../keys.ts";
import type { Resource } from "../../types.ts";

/**
 * The runs of objects that are gone and had the same name, whose release this adopted object has by its label: its machine runs
 * since they started. Only Landfall's own records say so. Throws the API server's errors.
 */
export async function takenOver(
  { runs, records }: Pick<CompositionContext, "runs" | "records">,
  { kind, metadata: { namespace = "", name = "", uid = "", labels = {} } }: Resource,
): Promise<RunRecord[]> {
  const namesakes = runs
    .list()
    .filter((run) => run.uid !== uid && run.kind === kind && run.namespace === namespace && run.name === name);
  const releases = await Promise.all(namesakes.map((run) => records.find(namespace, run.uid)));
  return namesakes.filter((_, index) => releases[index] === labels[LABEL.releaseName]);
}
