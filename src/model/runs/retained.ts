import type { ExistingWorkload } from "../cluster-data.ts";
import { PART_OF_LANDFALL } from "../names.ts";
import { isObject } from "../json.ts";
import type { KubernetesObject } from "../kubernetes.ts";

/** The person who acknowledged that something runs without an object, so that it no longer counts. */
export interface Acknowledgement {
  by: string;
  reason: string;
  /** RFC 3339 */
  at: string;
}

/** Resources that a deleted object left running. They count in quotas and budgets until they are adopted or acknowledged. */
export interface Retained {
  /** Without a machine's name: an object that adopts it has the same. */
  workload: ExistingWorkload;
  /** Of the deleted object. */
  uid: string;
  release: string;
  /** `orphan`: the release stayed. `retain`: the provider's resources did. */
  why: "orphan" | "retain";
  /** RFC 3339 */
  at: string;
  acknowledged: Acknowledgement | null;
}

const [RECORD, ACKNOWLEDGED] = ["landfall.dev/retained", "landfall.dev/acknowledged"] as const;

/** The size with which a retained part counts in quotas and budgets. */
export type CountedSize = Pick<Retained["workload"], "place" | "vcpus" | "memoryGiB" | "pricePerHour">;

/**
 * Whether a new object of the same kind and name can take it over: a release that stayed. Resources that stayed at the provider
 * have names made of the deleted object's uid, so no new object renders them.
 */
export const isAdoptable = ({ why }: Retained): boolean => why === "orphan";

const isCount = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;

function isWorkload(value: unknown): value is ExistingWorkload {
  if (!isObject(value)) return false;
  const { kind, namespace, name, vcpus, memoryGiB } = value;
  return [kind, namespace, name].every((text) => typeof text === "string") && isCount(vcpus) && isCount(memoryGiB);
}

/** Reads the metadata of a Secret of Landfall's namespace; null for one that records something else. */
export function readRetained({ metadata: { annotations = {} } }: Pick<KubernetesObject, "metadata">): Retained | null {
  const [text, acknowledged] = [annotations[RECORD], annotations[ACKNOWLEDGED]];
  if (text === undefined) return null;
  try {
    const record: unknown = JSON.parse(text);
    if (!isObject(record) || !isWorkload(record["workload"]) || typeof record["uid"] !== "string") return null;
    const known: unknown = acknowledged === undefined ? null : JSON.parse(acknowledged);
    return { ...record, acknowledged: isObject(known) ? known : null } as unknown as Retained;
  } catch {
    return null;
  }
}

export const retainedName = (uid: string): string => `landfall.retained.${uid}`;

/** The metadata of a Secret that records it. */
export function retainedMetadata({ acknowledged, ...record }: Retained) {
  const known = acknowledged === null ? {} : { [ACKNOWLEDGED]: JSON.stringify(acknowledged) };
  return {
    name: retainedName(record.uid),
    labels: PART_OF_LANDFALL,
    annotations: { [RECORD]: JSON.stringify(record), ...known },
  };
}
