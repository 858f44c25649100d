import type { KindName, Thing, World } from "./world.ts";
import { KINDS } from "./world.ts";

export interface KindCount {
  /** Not deleted and not being deleted. */
  alive: number;
  byState: Record<string, number>;
  /** Number of live resources by name. */
  byName: Record<string, number>;
  created: number;
  deleted: number;
  duplicates: string[];
}

export interface Counts extends Record<KindName, KindCount> {
  /** Names of volumes that no machine uses. */
  unattached: string[];
  logins: number;
  requests: Record<string, number>;
  faults: Record<string, number>;
}

function countEach(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function countKind(world: World, kind: KindName): KindCount {
  const alive: Thing[] = world.alive<Thing>(world[kind]).filter(({ deleteAsked }) => !deleteAsked);
  return {
    alive: alive.length,
    byState: countEach(alive.map((thing) => world.stateOf(thing))),
    byName: countEach(alive.map(({ name }) => name)),
    ...world.counters[kind],
  };
}

/** Counts for tests: present resources, and events. */
export function counts(world: World): Counts {
  const held = new Set(world.alive(world.vms).flatMap(({ volumeIds }) => volumeIds));
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, countKind(world, kind)])) as Record<KindName, KindCount>;
  return {
    ...kinds,
    unattached: world
      .alive(world.volumes)
      .filter(({ id, deleteAsked }) => !held.has(id) && !deleteAsked)
      .map(({ name }) => name),
    logins: world.logins,
    requests: world.requests,
    faults: world.faults,
  };
}
