import { KINDS } from "../../model/names.ts";
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
import { ROW, STATES } from "./rows.ts";

/** Hours of one answer: at most two weeks. */
const MOST_HOURS = 336;

/** Most objects of one answer. */
const MOST_BARS = 200;

export const TIMELINE_QUERY = parameters({
  namespace: limited(63),
  kind: oneOf(KINDS),
  state: oneOf([...STATES, "denied"]),
  provider: limited(32),
  place: limited(100),
  search: limited(253),
  /** An electricity zone: its objects alone. */
  zone: limited(32),
  /** RFC 3339, of the first hour; a day before now by default. */
  from: limited(40),
  hours: within(1, MOST_HOURS),
  offset: count,
  limit: within(1, MOST_BARS),
});
export type TimelineQuery = Of<typeof TIMELINE_QUERY>;

/**
 * How a figure is known. `measured`: by the source of measured hours; `forecast`: by a forecast that is in force now;
 * `expected`: the mean of past years, from the bundle.
 */
const KNOWN = ["measured", "forecast", "expected"] as const;

/** Mean carbon intensity of an hour, gCO2eq/kWh. `low`, `high`: the forecast's error band; null if it has none. */
const HOUR = record({ value: figure, known: oneOf(KNOWN), low: orNull(figure), high: orNull(figure) });
export type ZoneHour = Of<typeof HOUR>;

const ZONE = record({
  zone: text,
  source: text,
  /** RFC 3339: when the forecast was made; null without one. */
  issuedAt: orNull(text),
  places: list(text),
  hours: list(HOUR),
});
export type TimelineZone = Of<typeof ZONE>;

const BAR = record({ row: ROW, /** Electricity zone; null if the place has none. */ zone: orNull(text) });
export type Bar = Of<typeof BAR>;

export const TIMELINE = record({
  /** The beginning of the first hour, RFC 3339, UTC. */
  from: text,
  hours: count,
  /** Those of the objects; without objects, the zones with the least carbon. */
  zones: list(ZONE),
  /** All zones that have a place. */
  allZones: list(text),
  bars: list(BAR),
  /** Decided objects that the filters leave in these hours, and those that have no decision. */
  total: count,
  undecided: count,
  current: flag,
  /** False if the console was started without forecasts. */
  hasForecasts: flag,
});
export type Timeline = Of<typeof TIMELINE>;

/** A start in a place. `grams`: of the run, or of one hour if it has no end. `usd`: likewise. */
const START = record({
  start: text,
  place: text,
  instanceType: text,
  grams: orNull(figure),
  usd: orNull(figure),
  pauses: count,
});
export type Start = Of<typeof START>;

/** The result of another start. */
const OTHER_START = record({
  start: text,
  /** In the decided place; null if it is not allowed then. */
  here: orNull(START),
  /** In the best place for it; null if none is allowed. */
  best: orNull(START),
  /** Why no place is allowed then; empty if one is. */
  denial: text,
});
export type OtherStart = Of<typeof OTHER_START>;

/** The starts that an object could have, each decided by the code that decides. */
export const STARTS = record({
  /** The time of these decisions: now for an object that waits, that of the recorded decision for any other. */
  at: text,
  /** The recorded place and start, decided again with its pauses so that it compares; null if it is not allowed any more. */
  decided: orNull(START),
  /** The recorded place and start without the pauses; null unless the run pauses. Other starts are fixed, so that none of them pauses. */
  withoutPauses: orNull(START),
  perHour: flag,
  starts: list(OTHER_START),
  /** False if there was no time for every hour. */
  complete: flag,
});
export type Starts = Of<typeof STARTS>;
