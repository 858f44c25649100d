import { countIn, given, oneIn, textIn, timeIn } from "../../address/read-search.ts";

const KINDS = ["VmTemplate", "KaasCluster"] as const;
const STATES = ["waiting", "starting", "running", "overdue", "ending", "ended", "failing", "denied"] as const;
/** Numbers of hours that the page can show. */
export const SPANS = [48, 96, 168, 336] as const;

/** Objects of a page. */
export const BARS = 40;

/** The filters, the shown hours and the chosen object, as they stand in the address; the chosen hour is every page's. */
export const timelineSearch = (search: Record<string, unknown>) =>
  given({
    kind: oneIn(search, "kind", KINDS),
    state: oneIn(search, "state", STATES),
    provider: textIn(search, "provider"),
    place: textIn(search, "place"),
    search: textIn(search, "search"),
    zone: textIn(search, "zone"),
    from: timeIn(search, "from"),
    hours: SPANS.find((span) => span === countIn(search, "hours")),
    offset: countIn(search, "offset"),
    object: textIn(search, "object"),
    as: oneIn(search, "as", ["table"] as const),
  });
export type TimelineSearch = ReturnType<typeof timelineSearch>;
