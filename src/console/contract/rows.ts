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

/** The states of an object, in the order of its life; `failing` last. `overdue`: its run is over, and nothing ends its machine. */
export const STATES = ["waiting", "starting", "running", "overdue", "ending", "ended", "failing"] as const;
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
  /** As decided. */
  start: orNull(text),
  end: orNull(text),
  /** Of the run that was recorded last, which may be another one than the decided; as decided before it has begun. */
  startsAt: orNull(text),
  endsAt: orNull(text),
  deadline: orNull(text),
  /** The start that the deadline leaves time for, with the boot; null without a deadline. Limits of waiting do not count. */
  latestStart: orNull(text),
  /** When the machine is on, if this run pauses as decided; empty otherwise. */
  parts: list(record({ start: text, end: text })),
  /** The way in which the object asks to pause: its machine is stopped, or deleted and made again; null if it must not pause. */
  pauseWay: orNull(oneOf(["stop", "recreate"])),
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
  /** False once its run is over and its resources are deleted: quotas and budgets then count nothing of it. */
  counts: flag,
  /** As quotas and budgets count it: the asked size or that of the machine types, whichever is larger; of a cluster, all pools at their largest. */
  vcpus: figure,
  memoryGiB: figure,
  mostUsdPerHour: orNull(figure),
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

const SORTS = ["name", "state", "created", "place", "start", "end", "grams", "usdPerHour", "vcpus"] as const;
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
  /** Those that run then alone: RFC 3339, or `now`. */
  runsAt: limited(40),
  sort: oneOf(SORTS),
  order: oneOf(["ascending", "descending"]),
  offset: count,
  limit: within(1, MOST_ROWS),
});
export type RowsQuery = Of<typeof ROWS_QUERY>;

export const ROWS = record({
  rows: list(ROW),
  /** How many the filters leave, and how many there are, as far as they have been read. */
  total: count,
  all: count,
  /** False until the first list is whole. What is read later comes after these rows, so they stay where they are. */
  whole: flag,
  /** How many there are, as the API server estimates it; null if it does not say, or the list is whole. */
  about: orNull(count),
  /** Whether the watch works; if not, these are the last known. */
  current: flag,
});
export type Rows = Of<typeof ROWS>;
