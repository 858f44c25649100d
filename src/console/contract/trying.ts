import { KINDS } from "../../model/names.ts";
import { figure, flag, limited, list, type Of, oneOf, orNull, record, text } from "./schema.ts";

/** Longest object, in characters: user data is limited to 16 KiB. */
const MANIFEST_CHARACTERS = 200_000;

/** A kind that can be tried. `schema`: the JSON Schema of `spec`, as text, so that its fields keep their author's order. */
const FORM = record({
  kind: oneOf(KINDS),
  apiVersion: text,
  schema: text,
  /** `chart`: what the served chart says; `cluster`: what the API server says; `release`: what this release of Landfall says. */
  from: oneOf(["chart", "cluster", "release"]),
});
export type Form = Of<typeof FORM>;

/** `places`: provider/region of the catalog, for completion. */
export const FORMS = record({ forms: list(FORM), places: list(text) });
export type Forms = Of<typeof FORMS>;

/** An object as JSON. `namespace`: the one that counts if the object names none. */
export const MANIFEST = record({ namespace: limited(63), object: limited(MANIFEST_CHARACTERS) });
export type Manifest = Of<typeof MANIFEST>;

/** `field`: dotted, as in messages; null if it is about the whole object. `patch`: RFC 6902 in JSON; null if no change was found. */
const DENIAL = record({
  code: text,
  message: text,
  remedy: text,
  field: orNull(text),
  patch: orNull(text),
});
export type TriedDenial = Of<typeof DENIAL>;

/** Times are RFC 3339, UTC. Grams and USD are of the run; per hour without a duration. */
const PLACEMENT = record({
  place: text,
  instanceType: orNull(text),
  start: orNull(text),
  end: orNull(text),
  usdPerHour: orNull(figure),
  usd: orNull(figure),
  grams: orNull(figure),
  baselineGrams: orNull(figure),
  nowGrams: orNull(figure),
  latencyMs: orNull(figure),
  latencyEstimated: flag,
});
export type TriedPlacement = Of<typeof PLACEMENT>;

/** The answer of the cluster, or of the console, to an object that does not exist yet. */
export const TRIED = record({
  kind: oneOf(KINDS),
  namespace: text,
  name: text,
  /** Who answered: `cluster` by a dry run, with load and forecasts; `console` by its own bundle, without them. */
  by: oneOf(["cluster", "console"]),
  /** Why the cluster did not; empty if it did. */
  why: text,
  /** Whether the user may create it. */
  mayCreate: flag,
  denials: list(DENIAL),
  warnings: list(text),
  /** Null if it is denied. */
  placement: orNull(PLACEMENT),
});
export type Tried = Of<typeof TRIED>;

/** The object that was created. */
export const APPLIED = record({ kind: oneOf(KINDS), namespace: text, name: text, place: orNull(text) });
export type Applied = Of<typeof APPLIED>;
