import type { Advise } from "../model/advice.ts";
import type { RelatedWorkloads } from "../model/cluster-data.ts";
import type { ForecastBook } from "../model/forecast.ts";
import type { NamespaceData } from "../model/kubernetes.ts";
import type { PlacedWorkload } from "../model/load.ts";
import type { Kind } from "../model/names.ts";
import type { WorkloadObject, WrittenField } from "../model/workload.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import type { Together } from "./decide/batch.ts";

/** Everything that a decision depends on. */
export interface Question {
  kind: Kind;
  object: WorkloadObject;
  namespace: NamespaceData;
  /** Seconds since 1970. */
  nowSeconds: number;
  /** The cluster's other objects; null where nothing is known of them. */
  facts: RelatedWorkloads | null;
  /** What is placed already, for budgets and the spread; nothing where it is left out. Only asked where it matters. */
  placed?: () => Iterable<PlacedWorkload>;
  /** What is known of the coming hours; climatology alone where it is left out. */
  forecasts?: ForecastBook | null;
  /** Its part in a batch; placed alone where it is left out. */
  together?: Together;
  /** An external scheduler's say; the embedded one alone where it is left out. */
  advise?: Advise;
  operation: "CREATE" | "UPDATE";
  policy: LoadedBundle;
  /** The machine runs already: its start is not up for a decision. */
  started?: boolean;
  /** With `started`: it only waits for the start that is asked about, and may be decided again until then. */
  pending?: boolean;
  /** Values of an earlier decision that hold although the user did not write them. */
  pins?: Partial<Record<WrittenField, unknown>>;
}
