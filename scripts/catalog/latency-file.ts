import type { CatalogPlace, LatencyFile, PlacesFile } from "../../src/bundle/catalog/catalog-files.ts";
import { LATENCY_SOURCES } from "../../src/bundle/catalog/catalog-files.ts";
import { distanceKm } from "./distance.ts";
import { measuredLatencies, type Measured } from "./measured-latencies.ts";
import { residencyFile } from "./residency-file.ts";

/** Round trip in ms = intercept + slope × km / 1000, and the p90 of the fit's error, which makes it a safe upper bound. */
interface Fit {
  intercept: number;
  slope: number;
  p90: number;
}

/**
 * Fits over the measured pairs: `within` one provider by least squares, `across` providers in Europe by Theil-Sen
 * (the samples of 2022 hold a few congested pairs), across the world by least squares. Europe: EEA, CH and GB.
 */
const FITS: Record<"europe" | "world", Record<"within" | "across", Fit>> = {
  europe: { within: { intercept: 4.88, slope: 18.51, p90: 5.4 }, across: { intercept: 3.51, slope: 19.19, p90: 11.7 } },
  world: { within: { intercept: 23.3, slope: 14.78, p90: 56.7 }, across: { intercept: 25.56, slope: 15.68, p90: 62.7 } },
};

const operator = (place: CatalogPlace): string => place.elemento?.provider ?? place.provider;

function estimate(from: CatalogPlace, to: CatalogPlace, europe: Set<string>): number | null {
  const km = distanceKm(from, to);
  if (km === null) return null;
  const area = europe.has(from.country) && europe.has(to.country) ? "europe" : "world";
  const fit = FITS[area][operator(from) === operator(to) ? "within" : "across"];
  return Math.ceil(fit.intercept + (fit.slope * km) / 1000 + fit.p90);
}

type Cell = [ms: number | null, source: number];
const cell = (ms: number | null, source: (typeof LATENCY_SOURCES)[number]): Cell => [ms, LATENCY_SOURCES.indexOf(source)];

const UNKNOWN: Cell = [null, 0];

/** Same region; measured there or back; only a P95 published; estimated; unknown. */
function latency(measured: Measured, ends: { from: string; to: string }, estimated: number | null): Cell {
  const { from, to } = ends;
  if (from === to) return cell(1, "local");
  const there = measured.typical.get(`${from} ${to}`);
  if (there !== undefined) return cell(there, "measured");
  const back = measured.typical.get(`${to} ${from}`);
  if (back !== undefined) return cell(back, "reversed");
  const p95 = measured.p95.get(`${from} ${to}`) ?? measured.p95.get(`${to} ${from}`);
  if (p95 !== undefined) return cell(p95, "measured-p95");
  return estimated === null ? UNKNOWN : cell(estimated, "estimated");
}

/** Round trips between all places, by origin, in the order of the keys of places.json. */
export async function latencyFile(data: string, { places }: PlacesFile): Promise<LatencyFile> {
  const measured = await measuredLatencies(data);
  const { areas } = await residencyFile(data);
  const europe = new Set([...(areas["EEA"] ?? []), "CH", "GB"]);
  const all = Object.entries(places);
  const from = all.map(([origin, place]) => {
    const cells = all.map(([key, other]) => latency(measured, { from: origin, to: key }, estimate(place, other, europe)));
    return [origin, { ms: cells.map(([ms]) => ms), source: cells.map(([, source]) => source) }] as const;
  });
  return {
    about:
      "Round-trip times in ms, the array index being the index of the place in places.json. sources names the numbers of `source`; " +
      "an estimate is intercept + slope × great-circle km / 1000 + p90 of the fit's error, rounded up.",
    dates: {
      "latency within Azure": "2025-06",
      "latency within Azure, P95 only": "2026-07",
      "latency within AWS": "2025-10",
      "latency within GCP": "2024-03",
      "latency across providers": "2022-04",
    },
    sources: [...LATENCY_SOURCES],
    fits: FITS,
    from: Object.fromEntries(from),
  };
}
