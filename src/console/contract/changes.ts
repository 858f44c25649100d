import { limited, parameters } from "./schema.ts";

export const CHANGES_QUERY = parameters({ namespace: limited(63) });

/**
 * A line of the stream of changes. `changed`: what the page shows may be another; at most one a second. `away`: the API server does not
 * answer, so what is shown is the last known. `alive`: nothing, sent so that both sides notice a lost connection.
 */
export type Change = { type: "changed" } | { type: "alive" } | { type: "away"; message: string };
