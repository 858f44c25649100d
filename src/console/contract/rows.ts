import { KINDS } from "../../model/names.ts";
import { VERDICTS } from "../../model/verdict.ts";
import {
  count,
  figure,
  flag,
  limited,
  list,
  type Of,
  oneOf,
  orNull,
  parameters,
  record,
  text,
  within,
} from "./schema.ts";

/** The states of an object, in the order of its life; `failing` last. */
export const STATES = ["waiting", "starting", "running", "ending", "ended", "failing"] as const;
export type State = (typeof STATES)[number];

/** An object in a table. Times are RFC 3339, UTC. */
export const ROW = record({
  kind: oneOf(KINDS),
  namespace: text,
  name: text,
  uid: text,
  state: oneOf(STATES),
  /** Reason and message of the condition that gives the state. */
  reason: text,
  message: text,
  /** When this condition became so; null if it does not say. */
  since: orNull(text),
  created: text,
  /** `provider/region`; null without a decision. */
  place: orNull(text),
  instanceType: orNull(text),
  start: orNull(text),
  end: orNull(text),
  deadline: orNull(text),
  /** The start that the deadline leaves time for, with the boot; null without a deadline. Limits of waiting do not count. */
  latestStart: orNull(text),
  /** When the machine is on, for a run that pauses; empty for any other. */
  parts: list(record({ start: text, end: text })),
  /** Of the run; per hour if the object has no duration. */
  grams: orNull(figure),
  baselineGrams: orNull(figure),
  nowGrams: orNull(figure),
  /** USD of an immediate start at the origin and in the best place: of the run; per hour if the object has no duration. */
  baselineUsd: orNull(figure),
  nowUsd: orNull(figure),
  usdPerHour: orNull(figure),
  /** USD of the run; null without a duration. */
  usd: orNull(figure),
  latencyMs: orNull(figure),
  /** Whether the latency was computed from the distance. */
  latencyEstimated: flag,
  decision: orNull(text),
  /** Null if no report names it. */
  verdict: orNull(oneOf(VERDICTS)),
  /** Why the policies in force would deny it; empty unless they would. */
  denial: text,
});
export type Row = Of<typeof ROW>;

const SORTS = ["name", "state", "created", "place", "start", "grams", "usdPerHour"] as const;
export type Sort = (typeof SORTS)[number];

/** Most rows of one answer. */
const MOST_ROWS = 1000;

/** Filters of objects, the same in the page's own address. */
const FILTERS = {
  namespace: limited(63),
  kind: oneOf(KINDS),
  state: oneOf([...STATES, "denied"]),
  provider: limited(32),
  /** `provider/region`. */
  place: limited(100),
  /** A part of the name. */
  search: limited(253),
} as const;

export const ROWS_QUERY = parameters({
  ...FILTERS,
  sort: oneOf(SORTS),
  order: oneOf(["ascending", "descending"]),
  offset: count,
  limit: within(1, MOST_ROWS),
});
export type RowsQuery = Of<typeof ROWS_QUERY>;

export const ROWS = record({
  rows: list(ROW),
  /** How many the filters leave, and how many there are. */
  total: count,
  all: count,
  /** Whether the watch works; if not, these are the last known. */
  current: flag,
});
export type Rows = Of<typeof ROWS>;
