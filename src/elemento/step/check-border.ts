import { LandfallError } from "../../errors.ts";
import { parseIpv4Network } from "../../model/formats/ipv4-network.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { Network, Volume } from "../api/types.ts";
import { isNamespacesName, lastTag, tagOf } from "../own-name.ts";
import type { Tenant } from "../tenants.ts";

/** Between namespaces that share an account. */
export interface Border {
  readonly namespace: string;
  readonly uid: string;
  /** Null in an account of the namespace's own, where only things of other namespaces are refused. */
  readonly tenant: Tenant | null;
  readonly networks: readonly Network[];
  readonly volumes: readonly Volume[];
  /** Tag of the uid -> namespace, of the objects of all namespaces. */
  readonly owners: ReadonlyMap<string, string>;
  /** Networks that were let through and are perhaps not listed yet, by their name at Elemento. */
  readonly pending: PendingNetworks;
  /** ms since 1970 */
  readonly nowMs: number;
}

export type PendingNetworks = Map<string, { readonly namespace: string; readonly size: number; readonly atMs: number }>;

/** Ms after which a network that is in no list does not exist. */
const PENDING_MS = 60_000;

/** By the objects' metadata, which is another one after each event: a hash of each object at each creation takes long for thousands. */
const tags = new WeakMap<Resource["metadata"], string>();

function ownTag(metadata: Resource["metadata"]): string {
  const known = tags.get(metadata);
  if (known !== undefined) return known;
  const tag = tagOf(metadata.uid ?? "");
  tags.set(metadata, tag);
  return tag;
}

export const ownersOf = (objects: readonly Resource[]): Map<string, string> =>
  new Map(objects.map(({ metadata }) => [ownTag(metadata), metadata.namespace ?? ""]));

type Owner = "own" | "foreign" | "unknown";

/** A live object says it for sure; of what outlived its object, the name at Elemento does. */
function ownerOf(name: string, { namespace, owners }: Border): Owner {
  const owner = owners.get(lastTag(name));
  if (owner !== undefined) return owner === namespace ? "own" : "foreign";
  return isNamespacesName(name, namespace) ? "own" : "unknown";
}

/** Throws ELEMENTO_FOREIGN where the namespace must not use a network or volume with one of these ids. */
export function checkIds(ids: readonly string[], border: Border): void {
  const { namespace, tenant, networks, volumes } = border;
  for (const id of ids) {
    if (tenant?.existing.includes(id)) continue;
    const named = [...networks, ...volumes].find((one) => one.id === id);
    const owner = named === undefined ? "unknown" : ownerOf(named.name, border);
    const refused = tenant === null ? owner === "foreign" : owner !== "own";
    if (refused) throw new LandfallError("ELEMENTO_FOREIGN", { id, namespace });
  }
}

const sizeOf = (cidr: string): number => {
  const network = parseIpv4Network(cidr);
  return network === null ? 1 : network.last - network.first + 1;
};

/** Addresses of the namespace's networks, without the one of this name. */
function usedAddresses(name: string, border: Border): number {
  const { namespace, networks, pending, nowMs } = border;
  const listed = new Set(networks.map((one) => one.name));
  for (const [key, { atMs }] of pending) if (listed.has(key) || nowMs - atMs > PENDING_MS) pending.delete(key);
  const own = networks.filter((one) => one.name !== name && ownerOf(one.name, border) === "own");
  const coming = [...pending].filter(([key, one]) => key !== name && one.namespace === namespace);
  const sizes = [...own.map(({ cidr }) => sizeOf(cidr)), ...coming.map(([, { size }]) => size)];
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Throws ELEMENTO_CIDR where the namespace must not have another network with these addresses in the operator's account. Else
 * its addresses count from now on, so objects that are handled at the same time cannot exceed the limit together.
 */
export function checkCidr({ name, cidr }: { name: string; cidr: string }, border: Border): void {
  const { namespace, tenant, pending, nowMs } = border;
  if (tenant === null) return;
  const wrong = (detail: string): LandfallError => new LandfallError("ELEMENTO_CIDR", { cidr, namespace, detail });
  const wanted = parseIpv4Network(cidr);
  const lies = tenant.cidrs?.some((range) => {
    const outer = parseIpv4Network(range);
    return outer !== null && wanted !== null && outer.first <= wanted.first && wanted.last <= outer.last;
  });
  if (lies === false) throw wrong(`it does not lie in ${tenant.cidrs?.join(", ") ?? ""}`);
  const [used, size] = [usedAddresses(name, border), sizeOf(cidr)];
  if (used + size > tenant.addresses) {
    throw wrong(`its other networks have ${String(used)} addresses, and ${String(tenant.addresses)} are the limit`);
  }
  pending.set(name, { namespace, size, atMs: nowMs });
}
