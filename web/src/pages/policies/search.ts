import { given, oneIn, textIn } from "../../address/read-search.ts";

const VIEWS = ["active", "namespaces", "settings", "exemptions", "impact"] as const;

/** The part of the page, the country, and the compared bundles, as they stand in the address. */
export const policiesSearch = (search: Record<string, unknown>) =>
  given({
    view: oneIn(search, "view", VIEWS),
    country: textIn(search, "country"),
    bundle: textIn(search, "bundle"),
    against: textIn(search, "against"),
  });
