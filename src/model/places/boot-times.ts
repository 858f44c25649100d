import file from "../../../catalog/boot-times.json" with { type: "json" };
import { isObject } from "../json.ts";
import type { Kind } from "../names.ts";
import type { Provider } from "../workload.ts";

/** Time from the start until a machine or cluster is ready. `observed`: learned from runs of this cluster. */
export interface BootTime {
  seconds: number;
  source: "catalog" | "observed";
}

/** The newest boot time of a namespace that the controller observed. */
export interface ObservedBoot {
  namespace: string;
  seconds: number;
}

/** By `provider/Kind`, one for each of the namespaces that booted last, newest last. */
export type ObservedBoots = Readonly<Record<string, readonly ObservedBoot[]>>;

interface BootTimesFile {
  sources: Readonly<Record<string, string>>;
  providers: Readonly<Record<Provider, Readonly<Record<Kind, { seconds: number; source: string }>>>>;
}

/** catalog/boot-times.json. It describes operators and charts, so it changes with Landfall and not with a bundle. */
export const bootTimesFile: BootTimesFile = file;

/** Fewer namespaces say little, and one of them could set the time of all. */
const LEAST_OBSERVED = 3;
/** More are forgotten, the one that booted longest ago first. */
const MOST_OBSERVED = 15;
/** Observations do not move a figure further than this from the catalog's, so that a fault of a provider denies no deadlines for long. */
const MOST_FACTOR = 4;

export const bootKey = (provider: string, kind: string): string => `${provider}/${kind}`;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? 0, sorted[Math.floor(middle)] ?? 0];
  return Math.ceil((low + high) / 2);
}

/** The time that a machine or cluster of this provider takes until it is ready: the median of the namespaces, if there are enough. */
export function bootTimeOf(kind: Kind, provider: Provider, observed: ObservedBoots = {}): BootTime {
  const { seconds } = bootTimesFile.providers[provider][kind];
  const seen = (observed[bootKey(provider, kind)] ?? []).map((boot) => boot.seconds);
  if (seen.length < LEAST_OBSERVED) return { seconds, source: "catalog" };
  return { seconds: Math.min(median(seen), MOST_FACTOR * seconds), source: "observed" };
}

/** The observations with one more, which replaces that of the same namespace: no namespace counts twice. */
export function withBoot(observed: ObservedBoots, key: string, boot: ObservedBoot): ObservedBoots {
  const others = (observed[key] ?? []).filter(({ namespace }) => namespace !== boot.namespace);
  return { ...observed, [key]: [...others, boot].slice(-MOST_OBSERVED) };
}

const isBoot = (value: unknown): value is ObservedBoot =>
  isObject(value) &&
  typeof value["namespace"] === "string" &&
  typeof value["seconds"] === "number" &&
  Number.isFinite(value["seconds"]) &&
  value["seconds"] > 0;

/** Observations from outside: anything else is omitted, also times of earlier versions, which name no namespace. */
export function readBoots(value: unknown): ObservedBoots {
  if (!isObject(value)) return {};
  const entries = Object.entries(value).flatMap(([key, times]) =>
    Array.isArray(times) ? [[key, times.filter(isBoot).slice(-MOST_OBSERVED)] as const] : [],
  );
  return Object.fromEntries(entries);
}
