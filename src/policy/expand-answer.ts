import { LandfallError } from "../errors.ts";
import { isObject } from "../model/json.ts";
import type { Candidate, LatencySource, PolicyResult } from "../model/policy.ts";
import { priceIn, type Prices } from "../model/bundle-format/packed-prices.ts";
import type { CapacityType, PlaceKey, Provider } from "../model/workload.ts";

interface Place {
  key: PlaceKey;
  provider: Provider;
  region: string;
  zone: string | null;
  electricityZone: string | null;
  /** The index of its price in a type's list. */
  column: number;
}

/** Name, vCPU, GiB and the price in each region of its provider (USD per hour, null where unknown). */
type MachineType = [name: string, vcpus: number, memoryGiB: number, prices: Prices];

/** Version, zones, and the type of each pool. */
type ClusterChoice = [kubernetesVersion: string, zones: string[], types: number[]];

/** The meaning of the ids of a compact answer. */
export interface AnswerNames {
  places: readonly Place[];
  types: readonly MachineType[];
  sources: readonly (LatencySource | null)[];
  /** Rule -> place -> the zones with its types, or null for all of them; and provider -> type -> rule. Bundles of earlier versions have none. */
  typeZones?: readonly (readonly (string[] | null)[])[];
  typeZonesOf?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** `landfall/main/compact`: see policies/bundle/landfall/main.rego. */
interface CompactAnswer extends Omit<PolicyResult, "candidates" | "rejected" | "funnel"> {
  /** Place and type of each candidate. */
  offers: [place: number, type: number][];
  ms: (number | null)[];
  source: number[];
  images: Record<string, string>;
  zone: string | null;
  /** For each offer, if the object asks for a capacity; bundles of earlier versions have none. */
  capacities?: [CapacityType, price: number | null][];
  /** Name and expected nodes of a cluster's pools, and for each offer what it would give them; empty for a machine. */
  pools: [name: string, nodes: number][];
  clusters: ClusterChoice[];
  /** Rule, text and the places that it left, in the order of the rules; null where these are the offers. */
  steps: [rule: string, text: string, left: (number | [place: number, type: number])[] | null][];
}

/** The lists that ids are looked up in; null for a bundle whose catalog has none. */
export function answerNames(data: Record<string, unknown>): AnswerNames | null {
  const root = isObject(data["landfall"]) ? data["landfall"] : {};
  const catalog = isObject(root["catalog"]) ? root["catalog"] : {};
  const { places, types, latency, typeZones, typeZonesOf } = catalog;
  const sources = isObject(latency) ? latency["sources"] : undefined;
  if (!Array.isArray(places) || !Array.isArray(types) || !Array.isArray(sources)) return null;
  const names = { places, types, sources };
  return Array.isArray(typeZones) && isObject(typeZonesOf)
    ? { ...names, typeZones, typeZonesOf: typeZonesOf as NonNullable<AnswerNames["typeZonesOf"]> }
    : names;
}

const unknown = (what: string): LandfallError =>
  new LandfallError("POL_RESULT", { detail: `${what} is not in the catalog` });

/** USD per hour; null where it is not known, also of a type that runs and is not offered any more (`prices.cost` in the policies). */
function costIn(prices: Prices, column: number): number | null {
  const price = priceIn(prices, column);
  return price === -1 ? null : price;
}

/** USD per hour of all expected nodes, in millionths; null where the price of one is not published. */
function totalPrice(parts: readonly (readonly [nodes: number, price: number | null])[]): number | null {
  let sum = 0;
  for (const [nodes, price] of parts) {
    if (price === null) return null;
    sum += nodes * price;
  }
  return Math.round(sum * 1e6) / 1e6;
}

/** The figures that a cluster adds to a candidate: the sizes and the price of all its nodes instead of those of one machine. */
function clusterDetails(
  [kubernetesVersion, zones, ids]: ClusterChoice,
  { pools }: CompactAnswer,
  context: { names: AnswerNames; column: number },
): Pick<Candidate, "vcpus" | "memoryGiB" | "pricePerHour" | "cluster"> {
  const rows = pools.map(([name, nodes], index) => {
    const type = context.names.types[ids[index] ?? -1];
    if (type === undefined) throw unknown(`type ${String(ids[index])} of pool ${name}`);
    const [instanceType, vcpus, memoryGiB, prices] = type;
    return { name, nodes, instanceType, vcpus, memoryGiB, price: costIn(prices, context.column) };
  });
  return {
    vcpus: rows.reduce((sum, row) => sum + row.nodes * row.vcpus, 0),
    memoryGiB: rows.reduce((sum, row) => sum + row.nodes * row.memoryGiB, 0),
    pricePerHour: totalPrice(rows.map(({ nodes, price }) => [nodes, price])),
    cluster: {
      kubernetesVersion,
      zones,
      pools: rows.map(({ price, ...row }) => ({ ...row, pricePerHour: price })),
    },
  };
}

/** A spot machine has its own price. */
function capacityOf(choice: [CapacityType, number | null] | undefined): Partial<Candidate> {
  return choice === undefined ? {} : { capacity: choice[0], pricePerHour: choice[1] };
}

/** The zone of a machine of this type, as region.zone_for in the policies has it: the usual one, or the first with the type. */
function zoneFor(names: AnswerNames, [placeId, place]: [number, Place], type: string): string | null {
  const rule = names.typeZonesOf?.[place.provider]?.[type];
  const zones = rule === undefined ? null : names.typeZones?.[rule]?.[placeId];
  return zones?.includes(place.zone ?? "") === false ? (zones[0] ?? place.zone) : place.zone;
}

function candidates(answer: CompactAnswer, names: AnswerNames): Candidate[] {
  const { offers, ms, source, images, zone, clusters, capacities = [] } = answer;
  return offers.map(([placeId, typeId], index) => {
    const place = names.places[placeId];
    const type = names.types[typeId];
    if (place === undefined || type === undefined) throw unknown(`offer ${String(placeId)}, ${String(typeId)}`);
    const [instanceType, vcpus, memoryGiB, prices] = type;
    const machine: Candidate = {
      place: place.key,
      provider: place.provider,
      region: place.region,
      zone: zone ?? zoneFor(names, [placeId, place], instanceType),
      instanceType,
      vcpus,
      memoryGiB,
      pricePerHour: costIn(prices, place.column),
      latencyMs: ms[index] ?? null,
      latencySource: names.sources[source[index] ?? 0] ?? null,
      electricityZone: place.electricityZone,
      image: images[place.provider] ?? null,
      ...capacityOf(capacities[index]),
    };
    const choice = clusters[index];
    if (choice === undefined) return machine;
    return { ...machine, zone: null, image: null, ...clusterDetails(choice, answer, { names, column: place.column }) };
  });
}

/** The places that each rule was the first to remove: both lists are sorted, so that one walk finds the difference. */
function removed(before: readonly number[], left: readonly number[], { places }: AnswerNames): PlaceKey[] {
  const gone: PlaceKey[] = [];
  let next = 0;
  for (const id of before) {
    if (left[next] === id) next += 1;
    else gone.push(places[id]?.key ?? "");
  }
  return gone;
}

function isAnswer(value: unknown): value is CompactAnswer {
  return (
    isObject(value) &&
    ["offers", "ms", "source", "steps", "pools", "clusters"].every((key) => Array.isArray(value[key]))
  );
}

/** The policy's result with the names put in; throws POL_RESULT for an answer that is none. */
export function expandAnswer(answer: unknown, names: AnswerNames): PolicyResult {
  if (!isAnswer(answer)) throw new LandfallError("POL_RESULT", { detail: "the compact answer lacks its lists" });
  const { offers: _offers, ms: _ms, source: _source, images: _images, zone: _zone, ...named } = answer;
  const { pools: _pools, clusters: _clusters, capacities: _capacities, steps, ...rest } = named;
  const rejected: Record<string, PlaceKey[]> = {};
  const funnel: PolicyResult["funnel"] = [];
  let before: readonly number[] = names.places.map((_, id) => id);
  for (const [rule, text, remaining] of steps) {
    const left = (remaining ?? answer.offers).map((item) => (typeof item === "number" ? item : item[0]));
    if (left.length < before.length) rejected[rule] = removed(before, left, names);
    funnel.push({ rule, text, remaining: left.length });
    before = left;
  }
  return { ...rest, candidates: candidates(answer, names), rejected, funnel };
}
