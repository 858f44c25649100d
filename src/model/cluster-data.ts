import type { Kind } from "./names.ts";
import type { PlaceKey } from "./workload.ts";

/** Hours of a month by which budgets and quotas count prices. */
export const HOURS_PER_MONTH = 730;

/** Usage of a namespace: requested sizes and decided prices of its objects. */
export interface Usage {
  objects: number;
  vcpus: number;
  memoryGiB: number;
  /** USD, list price of 730 hours. */
  pricePerMonth: number;
}

/** An object of the cluster, with the fields that decisions on others need. */
export interface ExistingWorkload {
  kind: Kind;
  namespace: string;
  name: string;
  /** Omitted for an object that is not stored yet. */
  uid?: string;
  /** The machine's name; null for a cluster. */
  vmName: string | null;
  vcpus: number;
  memoryGiB: number;
  /** USD, list price, on demand; null if it is not published or nothing is decided. */
  pricePerHour: number | null;
  /** Null if nothing is decided. */
  place: PlaceKey | null;
  /** Seconds since 1970; null if nothing is decided. */
  start: number | null;
  /** Null for a long-running machine. */
  end: number | null;
  /** A controller recorded that it runs, or may run. */
  runs?: true;
  /** The id of its decision; omitted if it has none. */
  decisionId?: string;
  /** Its decision has no valid signature, or one for another spec: it counts in its place only as large as a release is recorded there. */
  unverified?: true;
  /**
   * `foreign`: its decision was signed for another object, as far as the object itself says. `unbound`: it is being deleted, and its
   * decision may be another object's. Such a decision counts once a controller bound it to this object.
   */
  standing?: "foreign" | "unbound";
}

/** Data about the other objects of a cluster, for the decision on one. */
export interface RelatedWorkloads {
  /** Of the object's namespace, without the object itself. */
  usage: Usage;
  /** The requested machine's name, to which the next field refers; null for a cluster. */
  vmName: string | null;
  /** A few other machines with the same name, those of the own namespace first. */
  sameVmName: { namespace: string; name: string }[];
  /** When this was last confirmed, in seconds since 1970. */
  asOf: number;
}
