import type { CatalogView } from "../../model/places/catalog.ts";
import type { ForecastBook } from "../../model/places/forecast.ts";
import { HourlyCurve, type IntensityCurve } from "../../model/places/intensity.ts";
import { type Band, CarbonCurve, ForecastCurve } from "../../placement/curves.ts";
import type { DecisionRequest } from "../types.ts";
import { zoneOutlook } from "./forecast-degradations.ts";

export type Curves = ReadonlyMap<string, IntensityCurve>;

// Climatologies belong to a bundle's catalog and are computed once per catalog.
const climatologies = new WeakMap<CatalogView, Map<string, CarbonCurve>>();

/** The catalog's own curves by electricity zone. */
function climatology(catalog: CatalogView): Map<string, CarbonCurve> {
  let known = climatologies.get(catalog);
  if (known === undefined) {
    known = new Map(Object.entries(catalog.carbon).map(([zone, profile]) => [zone, new CarbonCurve(profile)]));
    climatologies.set(catalog, known);
  }
  return known;
}

interface Made {
  /** The sources of the curve: it is valid until one of them becomes stale. */
  names: string;
  curve: IntensityCurve;
}

/** The curves made from a forecast book and a catalog's climatology. */
interface MadeOfBook {
  zones: Map<string, Made>;
  /** Of the last request, because one decision reads them several times. */
  last: { nowSeconds: number; curves: Curves } | null;
}

// Forecast books are immutable, so curves are cached per book.
const madeOf = new WeakMap<Curves, WeakMap<ForecastBook, MadeOfBook>>();

function madeFor(base: Curves, book: ForecastBook): MadeOfBook {
  const books = madeOf.get(base) ?? new WeakMap<ForecastBook, MadeOfBook>();
  madeOf.set(base, books);
  const made = books.get(book) ?? { zones: new Map<string, Made>(), last: null };
  books.set(book, made);
  return made;
}

interface ZoneRequest {
  book: ForecastBook;
  zone: string;
  nowSeconds: number;
  catalog: CatalogView;
  made: Map<string, Made>;
}

function forecastCurve({ book, zone, nowSeconds, catalog, made }: ZoneRequest, rest: IntensityCurve | undefined) {
  const { used } = zoneOutlook(book, zone, { catalog, nowSeconds });
  const last = used.at(-1);
  if (last === undefined) return rest;
  const names = used.map(({ source }) => source).join();
  const earlier = made.get(zone);
  if (earlier?.names === names) return earlier.curve;
  // For a zone that is missing in the catalog, the mean of its forecast continues the curve.
  const { values } = last.forecast;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const details = { source: `mean of ${last.source}`, issuedAt: null, until: null };
  const flat = new HourlyCurve(last.forecast.start, Float64Array.of(mean), details);
  const curve = used.reduceRight<IntensityCurve>(
    (after, { source, forecast }) => new ForecastCurve(source, forecast, after),
    rest ?? flat,
  );
  made.set(zone, { names, curve });
  return curve;
}

/** The curves by electricity zone at the time of the request: forecasts if available, otherwise climatology. */
export function intensityCurves({
  policy,
  forecasts,
  nowSeconds,
}: Pick<DecisionRequest, "policy" | "forecasts" | "nowSeconds">): Curves {
  const base = climatology(policy.catalog);
  if (forecasts === undefined || forecasts === null) return base;
  const made = madeFor(base, forecasts);
  if (made.last?.nowSeconds === nowSeconds) return made.last.curves;
  const curves = new Map<string, IntensityCurve>(base);
  const zones = new Set(forecasts.sources.flatMap((source) => Object.keys(source.zones)));
  const asked = { book: forecasts, nowSeconds, catalog: policy.catalog, made: made.zones };
  for (const zone of zones) {
    const curve = forecastCurve({ ...asked, zone }, base.get(zone));
    if (curve !== undefined) curves.set(zone, curve);
  }
  made.last = { nowSeconds, curves };
  return curves;
}

/** The error band of a forecast over a time, gCO2eq/kWh; null if the curve has none that covers it. */
export const bandOver = (curve: IntensityCurve, start: number, seconds: number): Band | null =>
  curve instanceof ForecastCurve ? curve.bandOver(start, seconds) : null;
