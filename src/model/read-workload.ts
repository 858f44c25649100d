import type { ExistingWorkload } from "./cluster-data.ts";
import { isObject } from "./json.ts";
import type { KubernetesObject } from "./kubernetes.ts";
import type { Kind } from "./names.ts";
import { readSignatureId } from "./decision-annotation/signature.ts";
import { readPlacement } from "./decision-annotation/compact-decision.ts";
import { placeName } from "./workload.ts";
import { parseTime } from "./time.ts";

type Fields = Record<string, unknown>;

const number = (fields: Readonly<Fields>, key: string): number | null =>
  typeof fields[key] === "number" ? fields[key] : null;
const text = (fields: Readonly<Fields>, key: string): string | null =>
  typeof fields[key] === "string" ? fields[key] : null;

/** A number of a spec; 0 for none. */
export const amount = (fields: Readonly<Fields>, key: string): number => number(fields, key) ?? 0;

/** The maximum size of a pool, which a quota counts. */
export const poolNodes = (pool: Fields): number => number(pool, "max") ?? number(pool, "count") ?? 1;

interface Amounts {
  vcpus: number;
  memoryGiB: number;
}

/** The requested size of one machine, or that of its type, whichever is larger. */
const machineSize = (fields: Fields, type: Amounts | null): Amounts => ({
  vcpus: Math.max(number(fields, "cpu") ?? 0, type?.vcpus ?? 0),
  memoryGiB: Math.max(number(fields, "memory") ?? 0, type?.memoryGiB ?? 0),
});

/**
 * vCPU and GiB that a spec requests; for a cluster, the sum over its pools at their largest. With `typeOf`, of the machine types: of a
 * machine, or of the pool with this name; null for a type that is not known.
 */
export function sizeOf(kind: Kind, spec: Fields, typeOf: (pool: string) => Amounts | null = () => null): Amounts {
  if (kind === "VmTemplate") return machineSize(spec, typeOf(""));
  const pools = Array.isArray(spec["nodePools"]) ? spec["nodePools"].filter(isObject) : [];
  const sizes = pools.map((pool) => ({
    count: poolNodes(pool),
    ...machineSize(pool, typeOf(text(pool, "name") ?? "")),
  }));
  return {
    vcpus: sizes.reduce((sum, { count, vcpus }) => sum + count * vcpus, 0),
    memoryGiB: sizes.reduce((sum, { count, memoryGiB }) => sum + count * memoryGiB, 0),
  };
}

const timeOf = (value: string | null): number | null => (value === null ? null : parseTime(value));

/** The machine's name in the chart: the object's name by default, without dots; null for a cluster. */
export function vmNameOf(kind: Kind, { metadata, spec = {} }: KubernetesObject & { spec?: Fields }): string | null {
  return kind === "VmTemplate" ? (text(spec, "vmName") ?? metadata.name ?? "").replaceAll(".", "-") || null : null;
}

/** No object is larger or costs more. Sums of this stay exact. */
const MOST = 1e9;

/**
 * An amount that sums can hold: never negative, never infinite, never NaN. What cannot be read counts as much as anything can. Users can write
 * any number into an object that is being deleted.
 */
export const countedAmount = (value: number): number =>
  Number.isNaN(value) ? MOST : Math.min(MOST, Math.max(0, value));

/** The requested size, or the size that the decision counts, whichever is larger. `pricePerHour` (USD): null if it is not known. */
export function largerSize(asked: Amounts, placement: Readonly<Fields>) {
  const size = isObject(placement["size"]) ? placement["size"] : {};
  const [price, largest] = [number(placement, "pricePerHour"), number(size, "pricePerHour")];
  return {
    vcpus: Math.max(asked.vcpus, number(size, "vcpus") ?? 0),
    memoryGiB: Math.max(asked.memoryGiB, number(size, "memoryGiB") ?? 0),
    pricePerHour: price === null ? largest : Math.max(price, largest ?? 0),
  };
}

/** The data of an existing object: size from its spec, place and price from its decision. */
export function readWorkload(kind: Kind, object: KubernetesObject & { spec?: Fields }): ExistingWorkload {
  const { name = "", namespace = "default", uid } = object.metadata;
  const spec = object.spec ?? {};
  const placement = readPlacement(object);
  const [provider, region] = [text(placement, "provider"), text(placement, "region")];
  const decisionId = readSignatureId(object);
  return {
    ...{ kind, namespace, name, vmName: vmNameOf(kind, object) },
    ...largerSize(sizeOf(kind, spec), placement),
    place: provider === null || region === null ? null : placeName({ provider, region }),
    start: timeOf(text(placement, "start")),
    end: timeOf(text(placement, "end")),
    ...(decisionId === null ? {} : { decisionId }),
    ...(uid === undefined ? {} : { uid }),
  };
}
