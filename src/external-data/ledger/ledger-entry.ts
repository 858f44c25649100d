import type { ExistingWorkload, Usage } from "../../model/cluster-data.ts";

/** The rest of the limits that a decision had to keep, without the object and all that it counted. */
export interface Slack {
  /** Of the namespace's quota, in the dimensions that it limits; null for no quota. */
  quota: Partial<Usage> | null;
  /** Of the budget of the place, in vCPU; null for no budget. */
  budget: number | null;
}

/** An admitted object that the ledger tells all replicas of the webhook of. */
export interface LedgerEntry {
  /** Of a creation the nonce of its decision, which a second call for the same request repeats. */
  id: string;
  /** Of the object, as in ClusterData. */
  key: string;
  /** When it was written, in seconds since 1970, by the clock of the replica that wrote it. */
  at: number;
  creates: boolean;
  workload: ExistingWorkload;
}

/** An entry that has to be in the ledger before its object is admitted. */
export interface Claim extends Omit<LedgerEntry, "at"> {
  slack: Slack;
  /** The number of the last entry that the decision counted. */
  counted: number;
  /** Until when it may be written, in ms since 1970: then the process that decided no longer counts the decision. */
  untilMs: number;
}

/** The entry of a claim that is written at this time, in seconds since 1970. */
export const entryFor = ({ id, key, creates, workload }: Claim, at: number): LedgerEntry => ({
  ...{ id, key, creates, workload, at },
});

/** The number of shards. Replicas of all versions have to agree on it. */
export const SHARDS = 4;

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

/** The shard of a namespace's quota or a place's budget: whatever counts in one limit is in one shard. */
const shardOf = (scope: string): number => hash(scope) % SHARDS;

/** The shards that have to hold a claim. */
export function shardsOf({ slack, workload: { namespace, place } }: Pick<Claim, "slack" | "workload">): number[] {
  const scopes = [
    ...(slack.quota !== null ? [`namespace ${namespace}`] : []),
    ...(slack.budget !== null && place !== null ? [`place ${place}`] : []),
  ];
  return [...new Set(scopes.map(shardOf))];
}

/** Whether the entry takes of a limit that the claim has to keep. An object's own earlier entry does not count against it. */
export function interferes(entry: Pick<LedgerEntry, "key" | "workload">, claim: Claim): boolean {
  if (entry.key === claim.key) return false;
  const { slack, workload } = claim;
  const { namespace, place } = entry.workload;
  return (
    (slack.quota !== null && namespace === workload.namespace) || (slack.budget !== null && place === workload.place)
  );
}
