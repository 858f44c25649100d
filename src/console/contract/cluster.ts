import { RECORDED } from "./recorded.ts";
import { count, list, type Of, orNull, record, text } from "./schema.ts";

/** The cluster that the console shows, as the user's kubeconfig names it. */
export const CLUSTER = record({
  server: text,
  /** The namespace of the kubeconfig's context. */
  namespace: text,
  /** Null if the user is not allowed to list them. */
  namespaces: orNull(list(text)),
  /** The version of the API server; null if it does not say it. */
  version: orNull(text),
  /** How many seconds of a run that may pause take one second: more than 1 where local mode speeds them up. */
  timeLapse: count,
  /** The files that are shown instead of a cluster; null for a cluster. */
  recorded: orNull(RECORDED),
});
export type Cluster = Of<typeof CLUSTER>;
