/** `data`: data that replaces or extends the platform's; `policy`: rules of another team, in addition to the platform's. */
export type OtherKind = "data" | "policy";

/** The package below landfall.custom that belongs to a team's bundle of this name, if the bundle settings name none. */
export const packagesOf = (name: string): string[] => [name.replaceAll("-", "_")];

/** How to handle data over its age limit: report it in each decision, or deny. */
export type StaleAction = "warn" | "refuse";

/** An additional bundle that decides together with the platform's. */
export interface OtherIdentity {
  name: string;
  kind: OtherKind;
  /** Its reference, as given by the caller. */
  ref: string;
  /** `sha256:…` of the tarball. */
  digest: string;
  revision: string;
  /** The date of its data, seconds since 1970; null for policies. */
  date: number | null;
  /** Maximum age of its data, in seconds; null for no limit. */
  freshSeconds: number | null;
  whenStale: StaleAction;
  /** Seconds since 1970; null for never. */
  expires: number | null;
}

/** The namespaces that a team's rules decide about: those with one of the names, and those with all of the labels. */
export interface NamespaceSelector {
  names: readonly string[];
  labels: Readonly<Record<string, string>>;
}

/**
 * Tables of the catalog by the name of the data image that `landfall bundle build --data NAME` makes of them. The cheapest types are
 * computed when the tables are built, so prices are never replaced alone.
 */
export const IMAGE_TABLES = {
  carbon: ["carbon"],
  latency: ["latency"],
  prices: ["types", "typeIds", "gpuIds", "choices", "cellRows", "cells", "priceDates"],
} as const satisfies Record<string, readonly string[]>;

/** The settings of the platform's bundle for other bundles: data.landfall.settings.dataImages. */
export interface DataImageSettings {
  /** Roots of the platform's data that a data image may replace. Below `landfall` it counts for carbon, latency and prices only. */
  replaceable: string[];
  stale: StaleLimit;
  /** `replaceable` takes the place of the general list. */
  byName: Record<string, StaleLimit & { replaceable?: string[] }>;
}

/**
 * Data that no data image can replace, whatever the settings say: where places are, which areas they belong to, and the settings
 * themselves. They decide what is denied, and only the platform's own bundle is tested with them.
 */
export const CLOSED_ROOTS: readonly string[] = [
  "landfall/catalog/places",
  "landfall/catalog/placeIds",
  "landfall/catalog/allPlaces",
  "landfall/catalog/residency",
  "landfall/settings",
];

export interface StaleLimit {
  hours: number | null;
  action: StaleAction;
}

/** Whether its data is over its age limit at `nowSeconds` (seconds since 1970). */
export const isStale = (
  { date, freshSeconds }: Pick<OtherIdentity, "date" | "freshSeconds">,
  nowSeconds: number,
): boolean => date !== null && freshSeconds !== null && nowSeconds - date > freshSeconds;
