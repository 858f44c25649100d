import { KINDS } from "../../../../src/model/names.ts";
import { given, oneIn } from "../../address/read-search.ts";

/** The kind, and how many of its fields the form shows, as they stand in the address. */
export const trySearch = (search: Record<string, unknown>) =>
  given({ kind: oneIn(search, "kind", KINDS), fields: oneIn(search, "fields", ["all"] as const) });
