// An emergency: until its end, the API server does not call the webhooks for objects of some namespaces. A platform team switches
// admission off so when it cannot wait for it, with `landfall break-glass`. A Secret of Landfall's namespace keeps each of them.
import { isObject } from "./json.ts";
import type { KubernetesObject } from "./kubernetes.ts";
import { NAMESPACE_NAME, PART_OF_LANDFALL } from "./names.ts";
import { formatTime, parseTime } from "./time.ts";

export interface Emergency {
  /** In which admission is off; null for all. */
  namespaces: readonly string[] | null;
  /** RFC 3339 */
  from: string;
  /** RFC 3339: its end, an earlier one if someone ended it. */
  until: string;
  /** User name at the API server. */
  by: string;
  reason: string;
}

/** The Secret that keeps them, in Landfall's namespace, where tenants cannot write. */
export const EMERGENCY_SECRET = "landfall.emergencies";
const RECORDS = "landfall.dev/emergencies";
/** Of all annotations together, the API server stores 256 KiB; in bytes. */
const MOST_BYTES = 200 * 1024;
/** The beginning of a record that could not be read, for people. */
const DAMAGED = "landfall.dev/emergencies-damaged";
const MOST_DAMAGED = 20_000;

/** Name of the condition by which the API server leaves the webhooks out. */
export const EMERGENCY_CONDITION = "no-emergency";

/** Above 100,000 code points, the API server refuses a condition, and with it every change of the configuration. */
const LONGEST_EXPRESSION = 90_000;

const isTime = (value: unknown): boolean => typeof value === "string" && parseTime(value) !== null;

function isEmergency(value: unknown): value is Emergency {
  if (!isObject(value)) return false;
  const { namespaces, from, until, by, reason } = value;
  const isList = Array.isArray(namespaces) && namespaces.every((one) => typeof one === "string");
  return (
    (namespaces === null || isList) &&
    isTime(from) &&
    isTime(until) &&
    typeof by === "string" &&
    typeof reason === "string"
  );
}

type Recorded = Pick<KubernetesObject, "metadata"> | null;

function recordsIn(secret: Recorded): unknown[] | null {
  try {
    const records: unknown = JSON.parse(secret?.metadata.annotations?.[RECORDS] ?? "[]");
    return Array.isArray(records) ? records : null;
  } catch {
    return null;
  }
}

/** The emergencies that the Secret keeps, the oldest first; none for a Secret that is missing or cannot be read. */
export const readEmergencies = (secret: Recorded): Emergency[] => (recordsIn(secret) ?? []).filter(isEmergency);

/** The record as someone damaged it; null if every entry of it is an emergency. */
export function damagedRecord(secret: Recorded): string | null {
  const records = recordsIn(secret);
  return records?.every(isEmergency) === true ? null : (secret?.metadata.annotations?.[RECORDS] ?? null);
}

const lasts = ({ from, until }: Emergency, seconds: number, grace = 0): boolean =>
  (parseTime(from) ?? Infinity) <= seconds && seconds < (parseTime(until) ?? -Infinity) + grace;

/**
 * The latest of these, as many as the Secret keeps, in their order; those that last when the last one begins before those that are over. The last
 * one always stays: if it is too large on its own, the API server refuses it, and nothing begins that is not recorded.
 */
export function keptEmergencies(emergencies: readonly Emergency[]): Emergency[] {
  const at = parseTime(emergencies.at(-1)?.from ?? "") ?? 0;
  const latestFirst = emergencies.map((_one, index) => index).reverse();
  const isLasting = (index: number): boolean => lasts(emergencies[index] as Emergency, at);
  // The brackets of the list; a comma follows each.
  let left = MOST_BYTES - 2;
  const fits = (index: number): boolean => {
    left -= Buffer.byteLength(JSON.stringify(emergencies[index])) + 1;
    return left >= 0;
  };
  const order = [...latestFirst.filter(isLasting), ...latestFirst.filter((index) => !isLasting(index))];
  const kept = new Set([emergencies.length - 1, ...order.filter(fits)]);
  return emergencies.filter((_one, index) => kept.has(index));
}

/** The metadata of the Secret that keeps these, and the text of a record that cannot be read. */
export const emergencyMetadata = (emergencies: readonly Emergency[], damaged: string | null = null) => ({
  name: EMERGENCY_SECRET,
  labels: PART_OF_LANDFALL,
  annotations: {
    [RECORDS]: JSON.stringify(keptEmergencies(emergencies)),
    ...(damaged === null ? {} : { [DAMAGED]: Buffer.from(damaged).subarray(0, MOST_DAMAGED).toString() }),
  },
});

const hits = ({ namespaces }: Emergency, namespace: string): boolean => namespaces?.includes(namespace) ?? true;

/** The emergency in which admission was off for a namespace at a time (seconds since 1970), or `grace` seconds before; null for none. */
export const emergencyAt = (
  emergencies: readonly Emergency[],
  namespace: string,
  seconds: number,
  grace = 0,
): Emergency | null => emergencies.findLast((one) => lasts(one, seconds, grace) && hits(one, namespace)) ?? null;

/** Emergencies that last at a time, in seconds since 1970. */
export const emergenciesAt = (emergencies: readonly Emergency[], seconds: number): Emergency[] =>
  emergencies.filter((one) => lasts(one, seconds));

/** Emergencies that are not over at a time, in seconds since 1970: also one that another API server, whose clock is ahead, lets begin later. */
export const notOver = (emergencies: readonly Emergency[], seconds: number): Emergency[] =>
  emergencies.filter(({ until }) => (parseTime(until) ?? -Infinity) > seconds);

/** The emergency with an end at this time, or at its beginning if that is later. */
export function endedAt(emergency: Emergency, seconds: number): Emergency {
  return { ...emergency, until: formatTime(Math.max(seconds, parseTime(emergency.from) ?? seconds)) };
}

/** The namespaces that these emergencies name, as many as one condition can hold, and the others, in which admission stays on. */
export function coveredNamespaces(lasting: readonly Emergency[]): { covered: string[]; others: string[] } {
  const all = new Set(lasting.flatMap(({ namespaces }) => namespaces ?? []));
  // No namespace has another name, whatever someone wrote into the record.
  const names = [...all].filter((name) => NAMESPACE_NAME.test(name));
  let left = LONGEST_EXPRESSION;
  const fits = (name: string): boolean => {
    left -= name.length + 4;
    return left >= 0;
  };
  const covered = names.filter(fits);
  return { covered, others: names.filter((name) => !covered.includes(name)) };
}

/**
 * A condition in CEL with which the API server calls no webhook for the namespaces of these emergencies; null if there are none. It is valid
 * whatever someone wrote into the record: it omits names that no namespace can have, and those that it cannot hold.
 */
export function emergencyCondition(lasting: readonly Emergency[]): { name: string; expression: string } | null {
  if (lasting.some(({ namespaces }) => namespaces === null)) return { name: EMERGENCY_CONDITION, expression: "false" };
  const { covered } = coveredNamespaces(lasting);
  if (covered.length === 0) return null;
  const names = covered.sort().map((name) => `'${name}'`);
  return { name: EMERGENCY_CONDITION, expression: `!(request.namespace in [${names.join(", ")}])` };
}
