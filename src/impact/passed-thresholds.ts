import type { Sum, Summary } from "./sum-up.ts";

/** Limits of change; null: none. */
export interface Thresholds {
  newlyDenied: number | null;
  moved: number | null;
  /** Percent. */
  costRise: number | null;
  /** Percent. */
  carbonRise: number | null;
}

/** Percent of change; 0 if there is nothing to compare, infinite for an increase from zero. */
export function rise({ before, after }: Sum): number {
  if (before === 0) return after === 0 ? 0 : Infinity;
  return (100 * (after - before)) / before;
}

/** The exceeded thresholds, as text. Pure. */
export function passedThresholds({ changes, price, carbon }: Summary, limits: Thresholds): string[] {
  const rows: [name: string, actual: number, limit: number | null, unit: string][] = [
    ["newly denied", changes["newly denied"], limits.newlyDenied, ""],
    ["moved", changes["moved"], limits.moved, ""],
    ["cost", rise(price), limits.costRise, " %"],
    ["carbon", rise(carbon), limits.carbonRise, " %"],
  ];
  return rows.flatMap(([name, actual, limit, unit]) => {
    if (limit === null || actual <= limit) return [];
    const figure = unit === "" ? String(actual) : `${actual > 0 ? "+" : ""}${actual.toFixed(1)}${unit}`;
    return [`${name}: ${figure}, at most ${String(limit)}${unit}`];
  });
}
