import schema from "../../schemas/kaas-cluster.schema.json" with { type: "json" };
import { isObject } from "../model/json.ts";
import { isReservedName } from "../model/names.ts";
import type { KaasTaint } from "./types.ts";

const { tags, nodePools, zones } = schema.properties;
const pool = nodePools.items.properties;

interface MapSchema {
  maxProperties: number;
  propertyNames: { pattern: string };
  additionalProperties: { maxLength: number; pattern?: string };
}

/** The entries of a map that a KaasCluster can have: kOps has more keys and longer values. */
function entriesWithin(map: unknown, { maxProperties, propertyNames, additionalProperties }: MapSchema) {
  const { maxLength, pattern = "" } = additionalProperties;
  const [key, value] = [new RegExp(propertyNames.pattern), new RegExp(pattern)];
  const fitting = Object.entries((map as Record<string, string> | null | undefined) ?? {}).filter(
    ([name, text]) => key.test(name) && text.length <= maxLength && value.test(text),
  );
  return Object.fromEntries(fitting.slice(0, maxProperties));
}

export const tagsWithin = (map: unknown): Record<string, string> => entriesWithin(map, tags);

/** EKS takes no labels of its own, and none without a value. */
const isForEks = ([key, value]: [string, unknown]): boolean =>
  value !== "" && !/^(?:[^/]*\.)?eks\.amazonaws\.com\//.test(key);

/** Labels of Kubernetes and of kOps are refused at admission: nodes or their provider would refuse them. `onEks`: so are those that EKS refuses. */
export function labelsWithin(map: unknown, onEks: boolean): Record<string, string> {
  const labels = (isObject(map) ? Object.entries(map) : []).filter((label) => !onEks || isForEks(label));
  return entriesWithin(Object.fromEntries(labels.filter(([key]) => !isReservedName(key))), pool.labels);
}

/** A size of the root disk within the limits of a pool. */
export const diskWithin = (sizeGiB: number): number =>
  Math.min(pool.diskGiB.maximum, Math.max(pool.diskGiB.minimum, sizeGiB));

export const zonesWithin = (names: readonly string[]): string[] => names.slice(0, zones.maxItems);

function isWithin({ key, value = "" }: KaasTaint): boolean {
  const { key: keys, value: values } = pool.taints.items.properties;
  return (
    new RegExp(keys.pattern).test(key) && value.length <= values.maxLength && new RegExp(values.pattern).test(value)
  );
}

/** `refusesReserved`: of EKS, which takes no taint of Kubernetes. */
export const taintsWithin = (taints: readonly KaasTaint[], refusesReserved: boolean): KaasTaint[] =>
  taints
    .filter((taint) => isWithin(taint) && !(refusesReserved && isReservedName(taint.key)))
    .slice(0, pool.taints.maxItems);
