import file from "../../../catalog/operations.json" with { type: "json" };
import { isObject } from "../json.ts";
import type { Kind } from "../names.ts";
import type { Provider } from "../workload.ts";

/** Operations on running resources that a provider may support. */
export const OPERATIONS = [
  "stop",
  "start",
  "recreate",
  "reattach",
  "resize",
  "spot",
  "runLimit",
  "billedWhileStopped",
] as const;
export type OperationName = (typeof OPERATIONS)[number];

export interface Operation {
  can: boolean;
  /** How, or why not; what it means for the user. */
  detail: string;
  /** A key of `sources`. */
  source: string;
  /** The effect on a public address of the machine, where it does not stay. */
  address?: string;
  /** Only of `resize`: between which types it is possible, if not between all (catalog/resize-groups.json). */
  within?: string;
}

/** The effect of a field's change on a running resource: `replace` needs a new machine or cluster, `ignored` has none. */
export const FIELD_CHANGES = ["in-place", "replace", "ignored"] as const;
export type FieldChange = (typeof FIELD_CHANGES)[number];

export interface FieldAbility {
  change: FieldChange;
  detail: string;
  source: string;
  /** Only of `disks`: the size to which a disk grows that is attached, unless it is larger already. No limit if omitted. */
  growsToGiB?: number;
  /** Only of `disks`: the operator sends no empty list, and the provider keeps the last disk. */
  keepsLast?: true;
  /**
   * Only of `nodePools.count`. `widen`: the limits of a pool that scales must hold every number of nodes that it had before. `asked`: they
   * count only when pods wait or nodes are empty, and it cannot get a count in their place. Any change if omitted.
   */
  limits?: "widen" | "asked";
  /** Only of `nodePools.count`: the zones of a highly available pool, which all have the same number of nodes. */
  zones?: number;
  /** Only of `nodePools.taints`: the operator removes a taint only if no other has its key. */
  removesByKey?: true;
  /** Of taints: the first version of the operator that removes one. Earlier ones leave it at the provider, and say that all is well. */
  removesSince?: string;
}

/** How a machine that was stopped or deleted by hand is seen. */
export interface Observation {
  /** `group/Kind` of the machine. */
  kind: string;
  /** Path below its status of the provider's word for its state; null if the operator does not read it. */
  state: string | null;
  /** How old that word is at most, if no one asks; null if there is none. */
  seenAfterSeconds: number | null;
  /** A field of its spec, whose values in turn make its operator look again and mean nothing to the provider. Null: it looks often enough. */
  ask: { field: string; values: readonly (number | null)[]; everySeconds: number; cost: string } | null;
  /** When a stopped machine that its operator cannot start is deleted and created again, if its object asks for it. Null: never. */
  recreate: { states: readonly string[]; everySeconds: number } | null;
  /** The effect on a machine that no longer exists. */
  gone: string;
  /** The effect on a stopped machine, or what its user can do. */
  stopped: string;
  source: string;
}

/** The operations that one provider and its operator have for one kind. */
export interface Abilities {
  /** Only of machines. */
  observation?: Observation;
  operations: Readonly<Record<OperationName, Operation>>;
  /** By field of spec, with a dot for what is inside one: `network.cidr`, `nodePools.labels`. */
  fields: Readonly<Record<string, FieldAbility>>;
  /** The first pool runs the service itself, so it stays first. */
  keepsFirstPool?: boolean;
  /** Why nothing can be changed; omitted if changes are possible. */
  fixed?: string;
}

export interface OperationsFile {
  about: string;
  sources: Readonly<Record<string, string>>;
  providers: Readonly<Record<Provider, Readonly<Record<Kind, Abilities>>>>;
}

/** catalog/operations.json. It describes operators and charts, so it changes with Landfall and not with a bundle. */
export const operationsFile = file as OperationsFile;

/** The provider's operations on an installed object of this kind. */
export const abilitiesOf = (kind: Kind, provider: Provider): Abilities => operationsFile.providers[provider][kind];

/** By `group/Kind` of a provider's machine. */
export const OBSERVATIONS: ReadonlyMap<string, Observation> = new Map(
  Object.values(operationsFile.providers).flatMap(({ VmTemplate: { observation } }) =>
    observation === undefined ? [] : [[observation.kind, observation] as const],
  ),
);

/** Fields whose change needs a new machine or cluster, as they are named in the file. */
export const replacedFields = ({ fields }: Abilities): string[] =>
  Object.entries(fields).flatMap(([field, { change }]) => (change === "replace" ? [field] : []));

/** Fields whose change the operator accepts and ignores. */
export const ignoredFields = ({ fields }: Abilities): string[] =>
  Object.entries(fields).flatMap(([field, { change }]) => (change === "ignored" ? [field] : []));

/** The effect of an operation on the public address of a machine of this spec; null if it has none, or keeps it. */
export function otherAddress({ network }: Readonly<Record<string, unknown>>, { address }: Operation): string | null {
  const isPublic = isObject(network) && network["publicIP"] === true;
  return isPublic ? (address ?? null) : null;
}
