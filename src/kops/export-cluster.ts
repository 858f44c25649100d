import { isObject } from "../model/json.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";
import { ANNOTATION } from "../model/names.ts";
import { losses, note, type Reasons } from "./losses/losses.ts";
import { machineOf, typeOf } from "./pool-fields.ts";
import { toKaas } from "./to-kaas.ts";
import { toKops, withImages } from "./to-kops.ts";
import type { KaasSpec, KopsCatalog, KopsFlags, KopsManifests, Note } from "./types.ts";

export interface Exported {
  manifests: KopsManifests;
  notes: Note[];
}

type Fields = Record<string, unknown>;

const REASONS: Reasons = [
  [
    /^(duration|deadline|schedulingTime|maxWait|waitingCostPercent)$/,
    "kOps has no times: whoever runs it starts and ends the cluster",
  ],
  [/^(maxPrice|maxLatency|origin|dataResidency|optimizeFor)/, "it has done its work: the place is decided"],
  [/^deletionPolicy$/, "`kops delete cluster` deletes all it made"],
  [/^nodePools\[\d+\]\.(cpu|memory|gpu)$/, "the machine type carries it"],
  [/^network\.(podCidr|serviceCidr)$/, "kOps divides a range of its own"],
  [/^nodePools\[\d+\]\.taints/, "kOps refuses a taint that is there twice"],
  [/^zones/, "Elemento has no availability zones"],
  [/^global/, "it is the composition controller's"],
];

/** Written by Landfall, its controllers or kubectl, not by the user. */
const BOOKKEEPING: readonly string[] = [
  ...Object.values(ANNOTATION),
  "kubectl.kubernetes.io/last-applied-configuration",
];

/** Whether the value equals the default, so that omitting the field changes nothing. */
const isIdle = (value: unknown): boolean =>
  value === 0 || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

const withoutIdle = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => !(names.includes(name) && isIdle(value))));

function normalised({ nodePools, ...spec }: Fields): Fields {
  const pools = Array.isArray(nodePools) ? nodePools.filter(isObject) : [];
  return {
    ...withoutIdle(spec, ["tags", "network"]),
    nodePools: pools.map((pool) => withoutIdle(pool, ["gpu", "labels", "taints"])),
  };
}

function metadataNotes({ metadata }: KubernetesObject): Note[] {
  const { namespace, labels = {}, annotations = {} } = metadata;
  const own = Object.entries(annotations).filter(([key]) => !BOOKKEEPING.includes(key));
  const reason = "kOps has neither namespaces nor places for them";
  return [
    ...(namespace === undefined ? [] : [note("metadata.namespace", namespace, reason)]),
    ...Object.entries(labels).map(([key, value]) => note(`metadata.labels[${key}]`, value, reason)),
    ...own.map(([key, value]) => note(`metadata.annotations[${key}]`, value, reason)),
  ];
}

/** Elemento has exactly these flavours; AWS has more types than the catalog lists. Throws KOPS_MACHINE. */
function checkFlavours({ cluster, controlPlane }: KopsManifests, catalog: KopsCatalog): void {
  if (cluster.spec["cloudProvider"] !== "elemento") return;
  for (const group of controlPlane)
    machineOf(`InstanceGroup ${group.metadata.name ?? ""}`, "elemento", typeOf(group, "elemento", catalog), catalog);
}

/**
 * Maps a decided KaasCluster to kOps manifests, and lists what they cannot express (found by mapping them back). Pure.
 * Throws KOPS_ZONE, KOPS_NETWORK, KOPS_MACHINE, CLI_USAGE.
 */
export function exportCluster(
  object: KubernetesObject & { spec?: Fields },
  flags: KopsFlags,
  catalog: KopsCatalog,
): Exported {
  const { spec = {}, metadata } = object;
  const made = toKops({ name: metadata.name ?? "", spec: spec as unknown as KaasSpec }, flags);
  const manifests = withImages(made, catalog);
  const back = toKaas(manifests, catalog);
  checkFlavours(manifests, catalog);
  const compared = losses(normalised(spec), back.spec, { at: "spec.", reasons: REASONS, additions: false });
  return { manifests, notes: [...metadataNotes(object), ...compared] };
}
