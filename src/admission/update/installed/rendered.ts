import { isObject } from "../../../model/json.ts";
import { pauseWayOf, readPauses } from "../../../model/runs/pause-rules.ts";
import { parseDuration } from "../../../model/time.ts";
import type { WorkloadObject } from "../../../model/workload.ts";
import { poolLimits, poolsOf } from "../../check/read-request.ts";

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Elemento has one class of disks, and its smallest image volume is larger than what every image fits on. */
const typeOf = (provider: string): Fields => (provider === "elemento" ? {} : { type: "balanced" });
const bootDisk = (provider: string): Fields => ({ sizeGiB: provider === "elemento" ? 50 : 30, ...typeOf(provider) });

/** An existing network has addresses of its own. On Elemento, the operator takes a range that no one has. */
function networkOf(spec: Fields, provider: string): Fields {
  const { cidr, publicIP = false, existing } = fieldsOf(spec["network"]);
  const isOwn = Object.keys(fieldsOf(existing)).length === 0;
  const addresses = isOwn && provider !== "elemento" ? "10.0.0.0/16" : undefined;
  return {
    cidr: cidr ?? addresses,
    publicIP,
    ...(isOwn ? {} : { existing: { securityGroups: [], ...fieldsOf(existing) } }),
  };
}

/** Google Cloud's own limit of a run takes at most 120 days, a quarter of an hour above the lifetime included. */
const LONGEST_SECONDS = 120 * 86_400 - 900;

/** Seconds; undefined without a limit that the provider gets. */
function lifetimeOf({ maxLifetime }: Fields): number | undefined {
  const seconds = typeof maxLifetime === "string" ? parseDuration(maxLifetime) : null;
  return seconds === null || seconds > LONGEST_SECONDS ? undefined : seconds;
}

/** Only a spot machine has a price limit at its provider. */
function capacityOf({ capacity = "on-demand", capacityType, maxPrice }: Fields): Fields {
  const bought = capacityType ?? (capacity === "spot" ? "spot" : "on-demand");
  const limit = bought === "spot" && maxPrice !== undefined ? Number(maxPrice) : undefined;
  return { capacity, capacityType: bought, maxPrice: limit };
}

function pausesOf(spec: Fields): Fields | undefined {
  const rules = readPauses(spec);
  return rules === null ? undefined : { ...rules, by: pauseWayOf(spec) };
}

/**
 * The values of a machine's fields that cannot change in place, with those that charts/vmtemplate and the controller take where
 * the spec has none. Equal values render equal manifests, whether their user spells them out or not.
 */
export function renderedMachine({ spec = {}, metadata }: WorkloadObject, provider: string): Fields {
  return {
    ...{ arch: "amd64", os: "ubuntu-24.04", vmName: metadata.name?.replaceAll(".", "-"), tags: {} },
    ...spec,
    ...capacityOf(spec),
    network: networkOf(spec, provider),
    osDisk: { ...bootDisk(provider), ...fieldsOf(spec["osDisk"]) },
    disks: listOf(spec["disks"]).map((disk) => ({ ...typeOf(provider), deletionPolicy: "delete", ...fieldsOf(disk) })),
    ports: listOf(spec["ports"]),
    maxLifetime: lifetimeOf(spec),
    interruptible: pausesOf(spec),
  };
}

/** Pods on AWS have addresses of the nodes; of Elemento's clusters only the nodes' network can be chosen. */
function networksOf(provider: string): Fields {
  const services = provider === "elemento" ? {} : { serviceCidr: "172.20.0.0/16" };
  const pods = provider === "azure" || provider === "gcp" ? { podCidr: "10.64.0.0/14" } : {};
  return { nodeCidr: "10.0.0.0/16", ...pods, ...services };
}

function taintsOf({ taints }: Fields): unknown[] {
  const list: unknown[] = Array.isArray(taints) ? taints : [];
  return list.map((taint) => (isObject(taint) ? { value: "", ...taint } : taint));
}

/** The type of the nodes has as many GPUs as it has: the charts only ask whether the pool uses them. */
function renderedPool(pool: Fields): Fields {
  return {
    ...{ diskGiB: 64, labels: {} },
    ...pool,
    taints: taintsOf(pool),
    gpu: Number(pool["gpu"] ?? 0) > 0,
    count: { ...poolLimits(pool), scales: "max" in pool },
  };
}

/**
 * The values of a cluster's fields with those that charts/kaas-cluster takes where the spec has none. Equal values render equal
 * manifests, whether their user spells them out or not. A pool's numbers of nodes are its `count`.
 */
export function renderedCluster({ spec = {} }: WorkloadObject, provider: string): Fields {
  return {
    ...{ highAvailability: false, endpoint: provider === "aws" ? "private" : "public", tags: {} },
    ...spec,
    network: { ...networksOf(provider), ...(isObject(spec["network"]) ? spec["network"] : {}) },
    nodePools: poolsOf(spec).map(renderedPool),
  };
}
