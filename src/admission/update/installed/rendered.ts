import { isObject } from "../../../model/json.ts";
import { pauseWayOf, readPauses } from "../../../model/runs/pause-rules.ts";
import type { WorkloadObject } from "../../../model/workload.ts";
import { poolLimits, poolsOf } from "../../check/read-request.ts";
import { isDeepStrictEqual } from "node:util";
import { type Change, specOf } from "../change.ts";

export type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Elemento has one class of disks, and its smallest image volume is larger than what every image fits on. */
const typeOf = (provider: string): Fields => (provider === "elemento" ? {} : { type: "balanced" });
const bootDisk = (provider: string): Fields => ({ sizeGiB: provider === "elemento" ? 50 : 30, ...typeOf(provider) });

/** An existing network has addresses of its own. On Elemento, the operator takes a range that no one has. */
function networkOf(spec: Fields, provider: string): Fields {
  const { cidr, publicIP = false, existing } = fieldsOf(spec["network"]);
  // ACK gives a running machine other groups; only AWS has them.
  const { securityGroups: _groups, ...place } = fieldsOf(existing);
  const isOwn = Object.keys(fieldsOf(existing)).length === 0;
  const addresses = isOwn && provider !== "elemento" ? "10.0.0.0/16" : undefined;
  return {
    cidr: cidr ?? addresses,
    publicIP,
    ...(isOwn ? {} : { existing: place }),
  };
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

interface BeforeAndAfter {
  old: Fields;
  next: Fields;
}

/** A cluster's spec before and after the change, with the values that the charts take where it has none. */
export type Rendered = BeforeAndAfter;

/** `kept`: what admission writes where the user's spec has nothing. */
export function renderedChange({ update, earlier }: Change, kept: Fields): Rendered {
  const { provider } = earlier.placement;
  return {
    old: renderedCluster(update.oldObject, provider),
    next: renderedCluster({ ...update.object, spec: { ...kept, ...specOf(update.object) } }, provider),
  };
}

/** A machine's spec before and after the change: as it is stored, and with the values that are taken where it has none. */
export interface Specs extends BeforeAndAfter {
  rendered: BeforeAndAfter;
}

export interface Changed {
  field: string;
  before: unknown;
  after: unknown;
}

export const within = (value: unknown, field: string): unknown => (isObject(value) ? value[field] : undefined);

/** `network.cidr`: the value of `cidr` inside `network`. */
const valueAt = (spec: Fields, path: string): unknown => path.split(".").reduce<unknown>(within, spec);

/** `kept`: what admission writes where the user's spec has nothing. */
export function specsOf({ update, earlier }: Change, kept: Fields): Specs {
  const { provider } = earlier.placement;
  const { capacity } = specOf(update.oldObject);
  // A machine that was bought without a capacity type keeps it.
  const next = { ...(capacity === undefined ? {} : { capacity }), ...kept, ...specOf(update.object) };
  const rendered = {
    old: renderedMachine(update.oldObject, provider),
    next: renderedMachine({ ...update.object, spec: next }, provider),
  };
  return { old: specOf(update.oldObject), next, rendered };
}

/** Fields of the catalog that every disk has. */
const OF_DISKS = ["disks.type", "disks.deletionPolicy"];

/** The disks that stay and whose field, such as `disks.type`, changes. */
function changedDisks({ old, next }: BeforeAndAfter, path: string): Changed[] {
  const name = path.slice("disks.".length);
  const before = new Map(listOf(old["disks"]).map((disk) => [within(disk, "name"), within(disk, name)]));
  return listOf(next["disks"])
    .map((disk, index) => ({ disk, field: `disks[${String(index)}].${name}` }))
    .filter(({ disk }) => before.has(within(disk, "name")))
    .map(({ disk, field }) => ({ field, before: before.get(within(disk, "name")), after: within(disk, name) }))
    .filter((one) => one.before !== one.after);
}

/** In place of a value that there is not. */
export const NOTHING = "the default";

/** The value that the user wrote, or the default. */
const written = (spec: Fields, rendered: Fields, field: string): unknown =>
  valueAt(spec, field) ?? valueAt(rendered, field) ?? NOTHING;

/** Those of these fields that change. A user who omits a field, or spells out its default, changes what it amounts to, or nothing. */
export function changedOf({ old, next, rendered }: Specs, fields: readonly string[]): Changed[] {
  const ofDisks = fields.filter((field) => OF_DISKS.includes(field)).flatMap((field) => changedDisks(rendered, field));
  const others = fields
    .filter((field) => !OF_DISKS.includes(field))
    .filter((field) => !isDeepStrictEqual(valueAt(rendered.old, field), valueAt(rendered.next, field)))
    .map((field) => ({
      field,
      before: written(old, rendered.old, field),
      after: written(next, rendered.next, field),
    }));
  return [...others, ...ofDisks];
}
