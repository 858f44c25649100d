import { PLACE_SORTS } from "./sort-places.ts";
import { given, oneIn, textIn } from "../../address/read-search.ts";

const VIEWS = ["world", "europe", "america", "asia"] as const;
export type View = (typeof VIEWS)[number];

/** The part of the world, the chosen place and origin, and the filter, as they stand in the address. */
export const mapSearch = (search: Record<string, unknown>) =>
  given({
    view: oneIn(search, "view", VIEWS),
    place: textIn(search, "place"),
    origin: textIn(search, "origin"),
    only: oneIn(search, "only", ["allowed", "used"] as const),
    as: oneIn(search, "as", ["table"] as const),
    sort: oneIn(search, "sort", PLACE_SORTS),
    order: oneIn(search, "order", ["ascending", "descending"] as const),
  });
export type MapSearch = ReturnType<typeof mapSearch>;
