import type { BundleStore } from "../bundle-store.ts";
import type { BundleSource, Tarball } from "../open-source.ts";
import type { Rollout } from "../read-settings.ts";
import type { OtherKind } from "../../model/bundle-format/other-bundle.ts";

/** A bundle beside the platform's, as it is followed. */
export interface OtherOptions extends Pick<Rollout, "poll" | "stale"> {
  name: string;
  kind: OtherKind;
  required: boolean;
  source: BundleSource;
  store: BundleStore;
}

/** Where an active bundle came from: the last good one on disk answers until the registry does. */
export type Origin = "registry" | "disk";

/** A tarball in use. */
export interface Used {
  tarball: Tarball;
  from: Origin;
  /** Since when, RFC 3339. */
  at: string;
}

/** Bundles that decide together: the platform's, and others by name. */
export interface BundleSet {
  platform: Used;
  others: ReadonlyMap<string, Used>;
}

/** What is loaded together with the platform's bundle. */
export interface Beside {
  others: { name: string; kind: OtherKind; ref: string; tarball: Tarball }[];
  /** Names of bundles that are set up, may be missing, and are. */
  absent: string[];
}

/** What a set uses of a bundle; the platform's own has no name. Null for nothing. */
export const usedOf = (set: BundleSet | null, name: string | null): Used | null =>
  (name === null ? set?.platform : set?.others.get(name)) ?? null;

/** The set with another tarball of one bundle. The first one is the platform's. */
export function withUsed(set: BundleSet | null, name: string | null, used: Used): BundleSet {
  if (set === null) return { platform: used, others: new Map() };
  if (name === null) return { ...set, platform: used };
  return { ...set, others: new Map([...set.others, [name, used]]) };
}

/** What of the others is there, and what may be missing and is. */
export function besideOf({ others }: BundleSet, setUp: readonly OtherOptions[]): Beside {
  const there = setUp.flatMap(({ name, kind, source }) => {
    const used = others.get(name);
    return used === undefined ? [] : [{ name, kind, ref: source.ref, tarball: used.tarball }];
  });
  const absent = setUp.filter(({ name, required }) => !required && !others.has(name));
  return { others: there, absent: absent.map(({ name }) => name) };
}

/** Names of required bundles that a set lacks. */
export const missingOf = (set: BundleSet | null, setUp: readonly OtherOptions[]): string[] =>
  setUp.filter(({ name, required }) => required && set?.others.has(name) !== true).map(({ name }) => name);
