import { isObject, textOf } from "../../model/json.ts";
import type {
  ClusterRequest,
  ObjectiveName,
  PoolRequest,
  WorkloadObject,
  WorkloadRequest,
} from "../../model/workload.ts";
import type { Kind } from "../../model/names.ts";
import { readPauses } from "../../model/runs/pause-rules.ts";
import { sizeOf } from "../../model/read-workload.ts";
import { parseDuration, parseTime, parseWait } from "../../model/time.ts";

type Fields = Record<string, unknown>;

const integerOr = (fields: Fields, key: string, otherwise: number): number =>
  typeof fields[key] === "number" ? fields[key] : otherwise;

/** The pools of a cluster's spec, unchecked; empty if there are none. */
export const poolsOf = (spec: Fields): Fields[] =>
  Array.isArray(spec["nodePools"]) ? spec["nodePools"].filter(isObject) : [];

/** Minimum and maximum number of nodes of a pool. */
export function poolLimits(pool: Fields): { least: number; most: number } {
  if (typeof pool["max"] === "number") return { least: integerOr(pool, "min", 0), most: pool["max"] };
  const count = integerOr(pool, "count", 1);
  return { least: count, most: count };
}

function readPool(pool: Fields, types: Fields): PoolRequest {
  const { least, most } = poolLimits(pool);
  const name = textOf(pool["name"]);
  const type = types[name];
  return {
    name,
    cpu: integerOr(pool, "cpu", 1),
    memoryGiB: integerOr(pool, "memory", 1),
    gpu: integerOr(pool, "gpu", 0),
    least,
    most,
    nodes: (least + most) / 2,
    instanceType: typeof type === "string" ? type : null,
  };
}

/** The requirements specific to a cluster, from a spec that has passed `checkObject`. */
function readClusterRequest(spec: Fields): ClusterRequest {
  const types = isObject(spec["poolInstanceTypes"]) ? spec["poolInstanceTypes"] : {};
  const { kubernetesVersion, zones } = spec;
  return {
    pools: poolsOf(spec).map((pool) => readPool(pool, types)),
    kubernetesVersion: typeof kubernetesVersion === "string" ? kubernetesVersion : null,
    highAvailability: spec["highAvailability"] === true,
    zones: Array.isArray(zones) ? zones.map(textOf) : null,
  };
}

const text = (spec: Fields, key: string): string | null => (typeof spec[key] === "string" ? spec[key] : null);
const integer = (spec: Fields, key: string): number | null => (typeof spec[key] === "number" ? spec[key] : null);
const time = (spec: Fields, key: string): number | null => {
  const value = text(spec, key);
  return value === null ? null : parseTime(value);
};

/** The largest pool of a cluster, for rules about machines; every pool counts for the choice of a place. */
function largestPool(spec: Fields): { cpu: number; memoryGiB: number } {
  const pools = poolsOf(spec);
  return {
    cpu: Math.max(1, ...pools.map((pool) => integer(pool, "cpu") ?? 1)),
    memoryGiB: Math.max(1, ...pools.map((pool) => integer(pool, "memory") ?? 1)),
  };
}

function size(kind: Kind, spec: Fields): { cpu: number; memoryGiB: number } {
  if (kind === "KaasCluster") return largestPool(spec);
  return { cpu: integer(spec, "cpu") ?? 1, memoryGiB: integer(spec, "memory") ?? 1 };
}

function pins(spec: Fields): WorkloadRequest["pin"] {
  return {
    provider: text(spec, "provider"),
    region: text(spec, "schedulingLocation"),
    instanceType: text(spec, "instanceType"),
    zone: text(spec, "zone"),
    image: text(spec, "image"),
    start: time(spec, "schedulingTime"),
  };
}

function pausesIn(spec: Fields): Pick<WorkloadRequest, "pauses"> {
  const pauses = readPauses(spec);
  return pauses === null ? {} : { pauses };
}

function priceIn(spec: Fields): Pick<WorkloadRequest, "maxPricePerHour"> {
  const limit = text(spec, "maxPrice");
  return limit === null ? {} : { maxPricePerHour: Number(limit) };
}

/** The API server adds five characters to `generateName`, after admission. */
const GENERATED = "xxxxx";

/** The name of an object. One that has none yet is judged with characters in place of those that it will get: it never has the prefix as its name. */
export const nameOrGenerated = ({ name, generateName }: WorkloadObject["metadata"]): string =>
  name ?? `${generateName ?? ""}${GENERATED}`;

/** The requirements of an object, from a spec that has passed `checkObject`. */
export function readRequest(kind: Kind, object: WorkloadObject): WorkloadRequest {
  const spec = object.spec ?? {};
  const duration = text(spec, "duration");
  const network = isObject(spec["network"]) ? spec["network"] : {};
  return {
    kind,
    name: nameOrGenerated(object.metadata),
    namespace: object.metadata.namespace ?? "default",
    ...size(kind, spec),
    total: sizeOf(kind, spec),
    arch: spec["arch"] === "arm64" ? "arm64" : "amd64",
    burstable: spec["burstable"] === true,
    durationSeconds: duration === null ? null : parseDuration(duration),
    deadline: time(spec, "deadline"),
    ...pausesIn(spec),
    maxWaitSeconds: parseWait(text(spec, "maxWait")),
    waitingCostPercent: integer(spec, "waitingCostPercent"),
    ...priceIn(spec),
    maxLatencyMs: integer(spec, "maxLatency"),
    origin: text(spec, "origin"),
    dataResidency: Array.isArray(spec["dataResidency"])
      ? spec["dataResidency"].filter((area) => typeof area === "string")
      : [],
    optimizeFor: text(spec, "optimizeFor") as ObjectiveName | null,
    os: text(spec, "os"),
    pin: pins(spec),
    existingNetwork: isObject(network["existing"]),
    ...(kind === "KaasCluster" ? { cluster: readClusterRequest(spec) } : {}),
  };
}
