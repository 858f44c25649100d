import { type ExistingWorkload, HOURS_PER_MONTH, type Usage } from "../../model/cluster-data.ts";
import { isCovered } from "../usage/merge-versions.ts";
import { type Claim, interferes, type LedgerEntry } from "./ledger-entry.ts";

/**
 * An entry counts for so long, in seconds, from when a replica learns of it, and until the cluster was seen after that. The guard refuses
 * an object whose entry ends soon, so one that is stored is stored before the end.
 */
export const LIFE_SECONDS = 20;
/** The guard accepts an object only if its entry still counts for this long, in seconds. */
export const GUARD_SECONDS = 5;
/** Nothing is reserved by a replica that saw the cluster longer ago than this, in seconds. */
export const SEEN_SECONDS = 20;
/** So long after its object was seen, an entry stays in the ledger, in seconds: by then, every replica that reserves has seen the object. */
const SETTLED_SECONDS = 30;
/** So long after it was written, an entry whose object was not seen stays, in seconds. Clocks may differ by 20 s. */
const UNSEEN_SECONDS = LIFE_SECONDS + SETTLED_SECONDS + 20;
/**
 * Bytes of one shard's entries, about 4,000 of 180 bytes. Namespaces with little of it get a quarter more, and the CRD allows 1.4 MB: etcd stores
 * objects of up to 1.5 MiB.
 */
export const MOST_BYTES = 720_000;

/** An entry as one replica knows it. */
export interface KnownEntry {
  entry: LedgerEntry;
  /** Its number among all that this replica learnt. */
  number: number;
  /** The process that decided it, and counts it since; null for an entry of another replica. */
  origin: object | null;
  /** When this replica learnt of it, in seconds of a clock that is never set. */
  learntAt: number;
  /** When its object was seen, by the same clock; null if it was not. */
  seenAt: number | null;
  /** The key under which it was seen: of a generated name, `entry.key` has the nonce. */
  seenAs?: string;
  /** It was seen with the nonce of this creation: no other object under this key is meant. */
  isItsOwn?: boolean;
  /** It was deleted since. */
  isGone?: boolean;
}

/** A time by two clocks. */
export interface Times {
  /** Since 1970. */
  nowSeconds: number;
  /** By a clock that is never set. */
  elapsedSeconds: number;
}

/**
 * Whether the entry may be missing from the ledger. What was not seen stays for as long after this replica learnt of it as after another one wrote it: a
 * clock that is far ahead, or that is set forward, takes nothing out that still counts for other replicas.
 */
export const isDue = (
  { entry, learntAt, seenAt, isGone = false }: KnownEntry,
  { nowSeconds, elapsedSeconds }: Times,
): boolean =>
  isGone ||
  (nowSeconds > entry.at + UNSEEN_SECONDS && elapsedSeconds > learntAt + UNSEEN_SECONDS) ||
  (seenAt !== null && elapsedSeconds > seenAt + SETTLED_SECONDS);

/**
 * Without entries that a later one of the same object counts for as well. The objects of both were seen: who knows the later entry alone
 * counts enough until it has seen them too, and neither is taken back any more.
 */
export function withoutCovered(entries: Iterable<KnownEntry>): KnownEntry[] {
  const later = new Map<string, ExistingWorkload[]>();
  const kept: KnownEntry[] = [];
  for (const one of [...entries].sort((first, second) => second.number - first.number)) {
    const { workload } = one.entry;
    if (one.seenAs !== undefined) {
      const known = later.get(one.seenAs) ?? [];
      if (known.some((newer) => isCovered(workload, newer))) continue;
      later.set(one.seenAs, [...known, workload]);
    }
    kept.push(one);
  }
  return kept.reverse();
}

const amountsOf = ({ vcpus, memoryGiB, pricePerHour }: ExistingWorkload): Usage => ({
  ...{ objects: 1, vcpus, memoryGiB },
  pricePerMonth: (pricePerHour ?? 0) * HOURS_PER_MONTH,
});

/** Whether a quota's slack holds all of these. */
function holds(slack: Partial<Usage>, taken: readonly ExistingWorkload[]): boolean {
  const amounts = taken.map(amountsOf);
  return (Object.entries(slack) as [keyof Usage, number][]).every(
    ([dimension, left]) => amounts.reduce((sum, amount) => sum + amount[dimension], 0) <= left,
  );
}

/**
 * Whether a limit no longer holds with the entries that the claim's decision did not count. Of two decisions of one process, the later one
 * counted the earlier one, in whichever order they are written: a process counts what it admits from then on.
 */
export function isOutdated(claim: Claim, origin: object, known: Iterable<KnownEntry>): boolean {
  const uncounted = [...known].filter(
    ({ number, entry, origin: other }) => number > claim.counted && other !== origin && interferes(entry, claim),
  );
  if (uncounted.length === 0) return false;
  const { slack, workload } = claim;
  const taken = uncounted.map(({ entry }) => entry.workload);
  const ofPlace = taken.filter(({ place }) => place === workload.place);
  if (slack.budget !== null && ofPlace.reduce((sum, { vcpus }) => sum + vcpus, 0) > Math.max(0, slack.budget))
    return true;
  const ofNamespace = taken.filter(({ namespace }) => namespace === workload.namespace);
  return slack.quota !== null && ofNamespace.length > 0 && !holds(slack.quota, ofNamespace);
}
