import { KINDS } from "../../model/names.ts";
import { count, figure, flag, limited, list, type Of, oneOf, orNull, record, text } from "./schema.ts";
import { ROW } from "./rows.ts";

export const OBJECT_PARAMS = record({ kind: oneOf(KINDS), namespace: limited(63), name: limited(253) });

const CONDITION = record({ type: text, status: text, reason: text, message: text, since: text });

/** A moment of an object's life. `planned`: it has not happened yet. */
const MOMENT = record({ at: text, what: text, detail: text, planned: flag });

/** Whether Landfall signed the decision. `unknown`: the user cannot read the keys, so the console cannot tell. */
const SIGNATURES = ["valid", "invalid", "missing", "unknown"] as const;

/** An object with all that admission wrote and the controllers report. Times are RFC 3339, UTC. */
export const OBJECT = record({
  row: ROW,
  /** How the rules narrowed the places, as admission wrote it. */
  why: list(text),
  considered: orNull(count),
  eligible: orNull(count),
  alternatives: list(record({ place: text, grams: orNull(figure), usdPerHour: orNull(figure) })),
  degraded: list(text),
  bundle: orNull(record({ digest: text, revision: text })),
  /** The fields that the object itself asks for, so that Landfall had no choice. */
  fixed: record({ provider: flag, region: flag, instanceType: flag, start: flag }),
  signature: record({ state: oneOf(SIGNATURES), detail: text }),
  conditions: list(CONDITION),
  life: list(MOMENT),
  managed: list(record({ apiVersion: text, resource: text, name: text, namespace: text })),
  yaml: text,
});
export type ObjectReport = Of<typeof OBJECT>;
export type Moment = Of<typeof MOMENT>;

/** A rule's line in the bundle. */
const SOURCE = record({ file: text, line: count });

/** A place in the table of candidates. `rule`: the rule that removed it; null for one that is allowed. */
const CANDIDATE = record({
  place: text,
  rule: orNull(text),
  instanceType: orNull(text),
  start: orNull(text),
  latencyMs: orNull(figure),
  latencyEstimated: flag,
  usdPerHour: orNull(figure),
  grams: orNull(figure),
  /** Lower is better; only of the best places. */
  score: orNull(figure),
});

/** The decision, made again by the console with its own bundle at the time of the recorded one. */
export const EXPLANATION = record({
  at: text,
  bundle: record({ digest: text, revision: text }),
  /** False if the user cannot read the namespace: its own settings count as none. */
  readable: flag,
  /** Whether the bundle is the one that decided; null without a recorded decision. */
  sameBundle: orNull(flag),
  /** Whether place and start are the recorded ones. */
  sameResult: flag,
  /** The place that latency is measured from, and who names it; null if there is none. */
  origin: orNull(record({ place: text, from: oneOf(["object", "namespace", "platform"]) })),
  allowed: flag,
  denials: list(record({ code: text, message: text, remedy: text })),
  considered: count,
  funnel: list(record({ rule: text, text, remaining: count, source: orNull(SOURCE) })),
  candidates: list(CANDIDATE),
});
export type Explanation = Of<typeof EXPLANATION>;
export type Candidate = Of<typeof CANDIDATE>;

export const PLACE_PARAMS = record({
  kind: oneOf(KINDS),
  namespace: limited(63),
  name: limited(253),
  provider: limited(32),
  region: limited(64),
});

/** The change that it takes for the object to run in a place. */
export const COUNTERFACTUAL = record({
  place: text,
  allowed: flag,
  candidate: orNull(CANDIDATE),
  denials: list(record({ code: text, message: text, remedy: text })),
  /** The smallest change of the object that passes, as RFC 6902 in JSON; null if none was found. */
  patch: orNull(text),
});
export type Counterfactual = Of<typeof COUNTERFACTUAL>;
