import type { Kind } from "./names.ts";
import type { PlaceKey } from "./workload.ts";

/** What the objects of a namespace add up to, as their objects ask for it and as they were decided. */
export interface Usage {
  objects: number;
  vcpus: number;
  memoryGiB: number;
  /** USD, list price of 730 hours. */
  pricePerMonth: number;
}

/** An object of the cluster, as far as the decision on another one needs it. */
export interface ExistingWorkload {
  kind: Kind;
  namespace: string;
  name: string;
  /** What the machine is called; null for a cluster. */
  vmName: string | null;
  vcpus: number;
  memoryGiB: number;
  /** USD, list price, on demand; null where none is published or nothing is decided. */
  pricePerHour: number | null;
  /** Null where nothing is decided. */
  place: PlaceKey | null;
  /** Seconds since 1970; null where nothing is decided. */
  start: number | null;
  /** Null for a long-running machine. */
  end: number | null;
}

/** What is known of the other objects of a cluster, for the decision on one. */
export interface RelatedWorkloads {
  /** Of the object's namespace, without the object itself. */
  usage: Usage;
  /** What the asked machine is called, which the next field is about; null for a cluster. */
  vmName: string | null;
  /** Other machines that are called what this one is called. */
  sameVmName: { namespace: string; name: string }[];
  /** When this was last known to be true, in seconds since 1970. */
  asOf: number;
}
