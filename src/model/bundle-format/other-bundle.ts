/** `data`: figures that replace or add to the platform's data; `policy`: rules of another team, beside the platform's. */
export type OtherKind = "data" | "policy";

/** What is done where data is older than its limit: say so in each decision, or deny. */
export type StaleAction = "warn" | "refuse";

/** A bundle that decides together with the platform's own. */
export interface OtherIdentity {
  name: string;
  kind: OtherKind;
  /** Where it came from, as the caller named it. */
  ref: string;
  /** `sha256:…` of the tarball. */
  digest: string;
  revision: string;
  /** The date of its figures, seconds since 1970; null for policies. */
  date: number | null;
  /** How old the figures may get, in seconds; null for no limit. */
  freshSeconds: number | null;
  whenStale: StaleAction;
}

/** What the platform's bundle says of other bundles: data.landfall.settings.dataImages. */
export interface DataImageSettings {
  /** Roots of the platform's data that a data image may replace. */
  replaceable: string[];
  stale: StaleLimit;
  byName: Record<string, StaleLimit>;
}

export interface StaleLimit {
  hours: number | null;
  action: StaleAction;
}

/** Whether its figures are older than they may get at `now` (seconds since 1970). */
export const isStale = (
  { date, freshSeconds }: Pick<OtherIdentity, "date" | "freshSeconds">,
  nowSeconds: number,
): boolean => date !== null && freshSeconds !== null && nowSeconds - date > freshSeconds;
