import type { Placement } from "../../model/decision.ts";
import { inWords, parseTime } from "../../model/time.ts";
import { runHours } from "../../model/runs/run-times.ts";
import { placeName } from "../../model/workload.ts";

/** The API server cuts a longer warning. */
const LIMIT = 256;

/** 34, 2.4, 0.051: at least two digits that count. */
function amount(value: number): string {
  if (value >= 10 || value === 0) return value.toFixed(0);
  if (value >= 1) return value.toFixed(1);
  return String(Number(value.toPrecision(2)));
}

function gramsText(grams: number | null): string {
  if (grams === null) return "CO2e unknown";
  return grams >= 10_000 ? `${amount(grams / 1000)} kg` : `${amount(grams)} g`;
}

/** 2026-11-22T03:00Z */
const toMinute = (time: string): string => time.replace(/:\d\dZ$/, "Z");

/** The time of day where it is on the day of `before`. */
const endText = (end: string, before: string): string =>
  end.slice(0, 10) === before.slice(0, 10) ? toMinute(end).slice(11) : toMinute(end);

function priceText(placement: Placement): string {
  const { pricePerHour } = placement;
  const hours = runHours(placement);
  if (pricePerHour === null) return "price unknown";
  if (hours === null) return `${pricePerHour.toFixed(4)} USD/h`;
  const total = pricePerHour * hours;
  return `${total >= 0.01 || total === 0 ? total.toFixed(2) : total.toPrecision(2)} USD`;
}

function startText(start: string, nowSeconds: number): string {
  const wait = (parseTime(start) ?? nowSeconds) - nowSeconds;
  if (wait < 0) return `started ${toMinute(start)}`;
  return `starts ${toMinute(start)} (${wait === 0 ? "now" : `in ${inWords(wait)}`})`;
}

function pausesText({ segments }: Placement): string[] {
  const pauses = (segments?.length ?? 1) - 1;
  return pauses === 0 ? [] : [`${String(pauses)} pause${pauses === 1 ? "" : "s"}`];
}

/**
 * What was decided, in one line of at most 256 characters: start, CO2e of the run and that of an immediate start, price,
 * end, place. For an object without a duration, the figures are per hour. `nowSeconds`: the time of the decision.
 */
export function summarise(placement: Placement, nowSeconds: number): string {
  const { start, end, gramsCO2, now, baselineGramsCO2 } = placement;
  const rate = end === null ? "/h" : "";
  const carbon = (grams: number | null): string => `${gramsText(grams)}${grams === null ? "" : rate}`;
  const parts = [
    `${startText(start, nowSeconds)}: ${carbon(gramsCO2)}`,
    ...(now === undefined ? [] : [`now in the best place ${carbon(now.gramsCO2)}`]),
    ...(baselineGramsCO2 === null ? [] : [`now at the origin ${carbon(baselineGramsCO2)}`]),
    priceText(placement),
    end === null ? "no end" : `ends ${endText(end, start)}`,
    ...pausesText(placement),
    placeName(placement),
  ];
  return parts.join("; ").slice(0, LIMIT);
}
