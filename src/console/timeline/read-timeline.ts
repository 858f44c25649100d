import { type Curves, intensityCurves } from "../../admission/decide/intensity-curves.ts";
import { LandfallError } from "../../errors.ts";
import { fedZones } from "../../model/places/catalog.ts";
import { formatTime, HOUR_SECONDS, parseTime } from "../../model/time.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import type { Row } from "../contract/rows.ts";
import type { Bar, Timeline, TimelineQuery, TimelineZone } from "../contract/timeline.ts";
import { passes } from "../objects/choose-rows.ts";
import type { Outlook } from "./outlook.ts";
import { zoneHours } from "./zone-hours.ts";

const [BEFORE_HOURS, HOURS] = [24, 96] as const;
/** Objects of an answer that is asked for no number. */
const BARS = 40;
/** Zones that are shown if there are no objects. */
const BEST_ZONES = 6;

export interface TimelineRequest {
  policy: LoadedBundle;
  outlook: Outlook;
  rows: readonly Row[];
  query: TimelineQuery;
  nowSeconds: number;
}

interface Span {
  /** Seconds since 1970, of a full hour. */
  from: number;
  hours: number;
}

/** The hours that a query asks for. Throws CONSOLE_REQUEST. */
function spanOf({ from, hours = HOURS }: TimelineQuery, nowSeconds: number): Span {
  const seconds = from === undefined ? nowSeconds - BEFORE_HOURS * HOUR_SECONDS : parseTime(from);
  if (seconds === null) throw new LandfallError("CONSOLE_REQUEST", { detail: "from is not a time (RFC 3339)" });
  return { from: seconds - (seconds % HOUR_SECONDS), hours };
}

/** Whether an object is there, waits or has its deadline in these hours. */
function isWithin({ created, endsAt, deadline, state }: Row, { from, hours }: Span): boolean {
  const to = from + hours * HOUR_SECONDS;
  const last = [endsAt, deadline].map((time) => (time === null ? null : parseTime(time)));
  const until =
    endsAt === null || state === "overdue" ? Number.POSITIVE_INFINITY : Math.max(...last.map((time) => time ?? 0));
  return until > from && (parseTime(created) ?? 0) < to;
}

const zoneOf = ({ place }: Row, { catalog }: LoadedBundle): string | null =>
  place !== null && Object.hasOwn(catalog.places, place) ? (catalog.places[place]?.electricityZone ?? null) : null;

const byZoneAndStart = (a: Bar, b: Bar): number => {
  const [one, other] = [a, b].map(
    ({ zone, row }) => `${zone ?? "~"} ${row.startsAt ?? ""} ${row.namespace}/${row.name}/${row.kind}`,
  );
  return (one ?? "") < (other ?? "") ? -1 : 1;
};

function placesIn(zone: string, { catalog }: LoadedBundle): string[] {
  return Object.entries(catalog.places)
    .flatMap(([place, { electricityZone }]) => (electricityZone === zone ? [place] : []))
    .sort();
}

/** The zones with the least carbon over these hours. */
function best(zones: readonly string[], curves: Curves, { from, hours }: Span): string[] {
  const mean = (zone: string): number =>
    curves.get(zone)?.meanOver(from, hours * HOUR_SECONDS) ?? Number.POSITIVE_INFINITY;
  return [...zones].sort((a, b) => mean(a) - mean(b)).slice(0, BEST_ZONES);
}

/** The zones of the shown objects; the one that was asked for; without both, those with the least carbon. */
function shownZones(bars: readonly Bar[], asked: string | undefined, others: () => string[]): string[] {
  if (asked !== undefined) return [asked];
  const used = [...new Set(bars.flatMap(({ zone }) => zone ?? []))];
  return used.length > 0 ? used : others();
}

/** The hours of the zones, and the objects in them, as they are planned and known. Pure. Throws CONSOLE_REQUEST. */
export function readTimeline({ policy, outlook, rows, query, nowSeconds }: TimelineRequest): Omit<Timeline, "current"> {
  const span = spanOf(query, nowSeconds);
  const allZones = fedZones(policy.catalog);
  if (query.zone !== undefined && !allZones.includes(query.zone))
    throw new LandfallError("CONSOLE_REQUEST", { detail: "zone is not an electricity zone of the catalog" });
  const chosen = rows.filter((row) => passes(row, query));
  const all = chosen
    .filter((row) => row.startsAt !== null && isWithin(row, span))
    .map((row): Bar => ({ row, zone: zoneOf(row, policy) }))
    .filter(({ zone }) => query.zone === undefined || zone === query.zone)
    .sort(byZoneAndStart);
  const { offset = 0, limit = BARS } = query;
  const bars = all.slice(offset, offset + limit);
  const forecasts = outlook.book();
  const curves = intensityCurves({ policy, nowSeconds, forecasts });
  const zones = shownZones(bars, query.zone, () => best(allZones, curves, span)).flatMap((zone): TimelineZone[] => {
    const curve = curves.get(zone);
    if (curve === undefined) return [];
    const issuedAt = curve.issuedAt === null ? null : formatTime(curve.issuedAt);
    const hours = zoneHours(curve, outlook.measured().get(zone), span);
    return [{ zone, source: curve.source, issuedAt, places: placesIn(zone, policy), hours }];
  });
  return {
    ...{ from: formatTime(span.from), hours: span.hours, zones, allZones, bars, total: all.length },
    undecided: chosen.filter(({ startsAt }) => startsAt === null).length,
    hasForecasts: forecasts !== null,
  };
}
