import type { ClusterEvent } from "../../src/external-data/cluster-data.ts";
import type { Reservation } from "../../src/external-data/usage/reservation-book.ts";

/** The reservation of a decision, or its claim. */
export type Reserved = Pick<Reservation, "key" | "id" | "workload">;

/** The event that takes it back. */
export const withdrawalOf = ({ key, id, workload: { decisionId } }: Reserved): ClusterEvent => ({
  ...{ type: "withdrawn", key },
  ...(id === undefined ? {} : { id }),
  ...(decisionId === undefined ? {} : { decisionId }),
});
