import { count, figure, flag, limited, list, type Of, orNull, parameters, record, text } from "./schema.ts";

export const MAP_QUERY = parameters({
  namespace: limited(63),
  /** RFC 3339; now if it is missing. Objects are counted at this time. */
  at: limited(40),
  /** `provider/region`; by default that of the namespace, or of the platform. */
  origin: limited(100),
});

/** A place, and what it offers to a machine of `size` in the namespace. */
const MAP_PLACE = record({
  place: text,
  /** Its provider's name for people, e.g. Stockholm. */
  display: text,
  country: text,
  /** Degrees, of the town; null if they are not known. */
  latitude: orNull(figure),
  longitude: orNull(figure),
  /** Electricity zone. */
  zone: orNull(text),
  /** The rule that removes it; null if it is allowed. */
  rule: orNull(text),
  usdPerHour: orNull(figure),
  latencyMs: orNull(figure),
  latencyEstimated: flag,
  /** Objects that run there at the time, and their vCPU as budgets count them: of clusters, all pools at their largest. */
  objects: count,
  vcpus: figure,
});
export type MapPlace = Of<typeof MAP_PLACE>;

/** Mean carbon intensity of each hour, gCO2eq/kWh, as the bundle expects it from past years. */
const MAP_ZONE = record({ zone: text, source: text, hours: list(figure) });
export type MapZone = Of<typeof MAP_ZONE>;

export const MAP = record({
  /** The beginning of the first hour, RFC 3339, UTC. */
  from: text,
  hours: count,
  size: record({ cpu: count, memoryGiB: count }),
  origin: orNull(text),
  /** Distances at which an estimate of the latency from the origin reaches so many ms. */
  circles: list(record({ ms: figure, km: figure })),
  places: list(MAP_PLACE),
  zones: list(MAP_ZONE),
  /** Why settings deny every object; empty if they do not. */
  denials: list(text),
  /** False if the user cannot read the namespace: its own settings count as none. */
  readable: flag,
  current: flag,
});
export type PlacesMap = Of<typeof MAP>;
