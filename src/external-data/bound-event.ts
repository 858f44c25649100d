import { isObject } from "../model/json.ts";
import type { NamespaceData } from "../model/kubernetes.ts";
import { shortRun } from "../model/runs/run-of.ts";
import { sha256Digest } from "../model/sha256.ts";
import type { ClusterEvent } from "./cluster-data.ts";
import type { RunOf } from "./run-index.ts";

/** Most characters of a text: the key of an object has at most 330, and a name that Kubernetes accepts 253. */
const TEXT_LENGTH = 400;
/** Most characters of the labels of a namespace together, and of its annotations. */
const NAMESPACE_LENGTH = 32_768;
/** Most characters of one annotation of a namespace. */
const ANNOTATION_LENGTH = 4096;

/** A longer text is not a name, place or id of anything else: a digest tells it from others. */
const shortText = (text: string): string => (text.length <= TEXT_LENGTH ? text : sha256Digest(text));

/** The same value with every text in it bounded. */
function bounded(value: unknown): unknown {
  if (typeof value === "string") return shortText(value);
  if (Array.isArray(value)) return value.map(bounded);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [shortText(key), bounded(inner)]));
}

/** A copy: a part of a string keeps the whole one in memory. */
const cut = (text: string): string =>
  text.length <= ANNOTATION_LENGTH ? text : Buffer.from(text.slice(0, ANNOTATION_LENGTH)).toString();

const isOurs = (key: string): boolean => /^(?:[^/]*\.)?landfall\.dev\//.test(key);

/** The entries that fit in: first Landfall's own, then the others, the short ones first. */
function shortMap(map: Readonly<Record<string, string>>): Record<string, string> {
  const length = ([key, value]: readonly [string, string]): number => key.length + value.length;
  const entries = Object.entries(map);
  if (entries.reduce((sum, entry) => sum + length(entry), 0) <= ANNOTATION_LENGTH) return { ...map };
  const all = entries.map(([key, value]) => [key, cut(value)] as const);
  all.sort((a, b) => Number(isOurs(b[0])) - Number(isOurs(a[0])) || length(a) - length(b));
  let left = NAMESPACE_LENGTH;
  return Object.fromEntries(all.filter((entry) => (left -= length(entry)) >= 0));
}

/** The part of a namespace that decisions read: anyone who may write its labels and annotations can write a megabyte. */
export const boundNamespace = ({ name, labels, annotations }: NamespaceData): NamespaceData => ({
  name,
  labels: shortMap(labels),
  annotations: shortMap(annotations),
});

const withShortRun = <T extends RunOf>(about: T): T => ({ ...about, run: shortRun(about.run) });

/**
 * The same event with a known largest size, whatever users store: every process that decides holds a copy of all events, and one
 * that has no memory left decides nothing for anybody. What a release runs is Landfall's own list, so its length stays.
 */
export function boundEvent(event: ClusterEvent): ClusterEvent {
  if (event.type === "namespace") return { ...event, data: event.data && boundNamespace(event.data) };
  if (event.type === "workload" && event.of !== undefined)
    return bounded({ ...event, of: withShortRun(event.of) }) as ClusterEvent;
  if (event.type === "run" && event.run !== null)
    return bounded({ ...event, run: withShortRun(event.run) }) as ClusterEvent;
  return bounded(event) as ClusterEvent;
}

/** Of each type of event, so many are measured: a scrape of the metrics must not hold up requests. */
const MEASURED = 1000;

/** Two bytes for a character, eight for everything else. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return 2 * value.length;
  if (typeof value !== "object" || value === null) return 8;
  return Object.values(value).reduce((sum: number, inner) => sum + bytesOf(inner), 8);
}

/** About how many bytes these events take in memory. */
export function bytesOfEvents(events: readonly ClusterEvent[]): number {
  return [...Map.groupBy(events, ({ type }) => type).values()].reduce((sum, ofType) => {
    const step = Math.ceil(ofType.length / MEASURED);
    const measured = ofType.filter((_, index) => index % step === 0);
    return sum + Math.round((bytesOf(measured) * ofType.length) / measured.length);
  }, 0);
}
