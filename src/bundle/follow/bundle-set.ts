import type { BundleStore } from "../bundle-store.ts";
import type { BundleSource, Tarball } from "../open-source.ts";
import type { Rollout } from "../read-settings.ts";
import type { NamespaceSelector, OtherKind } from "../../model/bundle-format/other-bundle.ts";

/** An additional bundle that is followed. */
export interface OtherOptions extends Pick<Rollout, "poll" | "stale"> {
  name: string;
  kind: OtherKind;
  required: boolean;
  /** The namespaces that a team's rules decide about; all if omitted. */
  namespaces?: NamespaceSelector | undefined;
  source: BundleSource;
  store: BundleStore;
}

/** Origin of an active bundle: after a restart, the stored one is used until the registry answers. */
export type Origin = "registry" | "disk";

/** A tarball in use. */
export interface Used {
  tarball: Tarball;
  from: Origin;
  /** Active since, RFC 3339. */
  at: string;
}

/** The bundles that decide together: the platform's, and others by name. */
export interface BundleSet {
  platform: Used;
  others: ReadonlyMap<string, Used>;
}

/** The bundles that are loaded together with the platform's. */
export interface Beside {
  others: { name: string; kind: OtherKind; ref: string; tarball: Tarball }[];
  /** Names of optional bundles that are missing. */
  absent: string[];
}

/** The parts of a bundle that a set uses; the platform's own has no name. Null for nothing. */
export const usedOf = (set: BundleSet | null, name: string | null): Used | null =>
  (name === null ? set?.platform : set?.others.get(name)) ?? null;

/** The set with another tarball of one bundle. The first one is the platform's. */
export function withUsed(set: BundleSet | null, name: string | null, used: Used): BundleSet {
  if (set === null) return { platform: used, others: new Map() };
  if (name === null) return { ...set, platform: used };
  return { ...set, others: new Map([...set.others, [name, used]]) };
}

/** The set without one of the bundles next to the platform's. */
export const withoutUsed = (set: BundleSet, name: string | null): BundleSet => ({
  ...set,
  others: new Map([...set.others].filter(([other]) => other !== name)),
});

/** The present additional bundles, and the missing optional ones. */
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
