import { countIn, given, oneIn, textIn } from "../../address/read-search.ts";

const KINDS = ["VmTemplate", "KaasCluster"] as const;
const STATES = ["waiting", "starting", "running", "overdue", "ending", "ended", "failing", "denied"] as const;
const SORTS = ["name", "state", "created", "place", "start", "end", "grams", "usdPerHour", "vcpus"] as const;

/** The filters, the order and the page of the list, as they stand in the address. */
export const objectsSearch = (search: Record<string, unknown>) =>
  given({
    kind: oneIn(search, "kind", KINDS),
    state: oneIn(search, "state", STATES),
    provider: textIn(search, "provider"),
    place: textIn(search, "place"),
    search: textIn(search, "search"),
    /** Only objects that run in the hour of the bar, which is now without one. */
    runs: oneIn(search, "runs", ["then"] as const),
    sort: oneIn(search, "sort", SORTS),
    order: oneIn(search, "order", ["ascending", "descending"] as const),
    offset: countIn(search, "offset"),
  });
export type ObjectsSearch = ReturnType<typeof objectsSearch>;
