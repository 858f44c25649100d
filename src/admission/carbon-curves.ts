import type { CatalogView } from "../model/catalog.ts";
import { CarbonCurve } from "../placement/carbon-curve.ts";

// Curves belong to a bundle's catalog and are built once for it.
const curvesOf = new WeakMap<CatalogView, Map<string, CarbonCurve>>();

/** The catalog's curves by electricity zone. */
export function carbonCurves(catalog: CatalogView): Map<string, CarbonCurve> {
  let known = curvesOf.get(catalog);
  if (known === undefined) {
    known = new Map(Object.entries(catalog.carbon).map(([zone, profile]) => [zone, new CarbonCurve(profile)]));
    curvesOf.set(catalog, known);
  }
  return known;
}
