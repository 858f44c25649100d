import { textAt, valueAt } from "../fields.ts";
import type { Lookup, Refusal, Resource } from "../types.ts";

/** Annotation with the release channel that a cluster is in, which GKE would remember. */
export const CHANNEL = "simulators.landfall.dev/channel";

/** No channel, as the API names it. */
const NONE = "UNSPECIFIED";
/** Google's for a cluster that names none. */
const DEFAULT = "REGULAR";

const askedChannel = ({ spec }: Resource): string | null => textAt(spec, "releaseChannel.channel");
const hadChannel = ({ metadata }: Resource): string | null => metadata.annotations?.[CHANNEL] ?? null;

/** The channel that a cluster is in from now on. */
export const channelOf = (cluster: Resource): Record<string, string> => ({
  [CHANNEL]: askedChannel(cluster) ?? hadChannel(cluster) ?? DEFAULT,
});

const refused = (message: string): Refusal => ({
  ...{ code: "INVALID", terminal: false },
  message: `googleapi: Error 400: ${message}, badRequest`,
});

const hasFalse = ({ spec }: Resource, field: string): boolean => valueAt(spec, `management.${field}`) === false;

/** GKE's words about a pool without what a channel needs; null for one that has it. */
function withoutManagement(pool: Resource, channel: string): string | null {
  const fields = [
    ...(hasFalse(pool, "autoUpgrade") ? ["auto_upgrade"] : []),
    ...(hasFalse(pool, "autoRepair") ? ["auto_repair"] : []),
  ];
  const [first = "", ...others] = fields;
  const named = [first.replace(/^a/, "A"), ...others].join(" and ");
  return fields.length === 0 ? null : `${named} cannot be false when release_channel ${channel} is set.`;
}

/**
 * GKE takes no cluster without a channel that is new, or that is in one (release notes of 21 August 2026); its words are assumed. Whether it takes
 * one into a channel whose pools have no auto-upgrades is not known: it is refused here.
 */
export function channelRefusal(cluster: Resource, pools: readonly Resource[]): Refusal | null {
  const [asked, had] = [askedChannel(cluster) ?? DEFAULT, hadChannel(cluster)];
  const isNew = textAt(cluster.status, "selfLink") === null;
  if (asked === NONE)
    return isNew || (had !== null && had !== NONE)
      ? refused("Clusters must be enrolled in a release channel: release_channel UNSPECIFIED is deprecated.")
      : null;
  if (isNew) return null;
  const message = pools.map((pool) => withoutManagement(pool, asked)).find((text) => text !== null) ?? null;
  return message === null ? null : refused(message);
}

/** GKE takes no pool without auto-upgrades and auto-repairs in a channel (nkoson/gke-tutorial, issue 8). */
export function managementRefusal(pool: Resource, lookup: Lookup): Refusal | null {
  const { namespace } = pool.metadata;
  const name = textAt(pool.spec, "clusterRef.name") ?? "";
  const cluster = lookup({ group: "container.cnrm.cloud.google.com", kind: "ContainerCluster", namespace, name });
  const channel = (cluster && (hadChannel(cluster) ?? askedChannel(cluster))) ?? NONE;
  const message = channel === NONE ? null : withoutManagement(pool, channel);
  if (message === null) return null;
  const isNew = textAt(pool.status, "selfLink") === null;
  const refusal = refused(message);
  return isNew ? { ...refusal, message: `error creating NodePool: ${refusal.message}` } : refusal;
}
