import { CHANGES, type Change, type Impact } from "./compare-decisions.ts";

/** A sum over the objects that both bundles allow and that have the figure in both. */
export interface Sum {
  before: number;
  after: number;
  /** Number of objects in the sum. */
  objects: number;
}

export interface Summary {
  objects: number;
  changes: Record<Change, number>;
  /** USD: a month of the long-running machines, the runs once. */
  price: Sum;
  /** Grams of CO2 equivalents, likewise. */
  carbon: Sum;
}

function sum(impacts: readonly Impact[], figure: "price" | "carbon"): Sum {
  const total: Sum = { before: 0, after: 0, objects: 0 };
  for (const { before, after } of impacts) {
    const [was, is] = [before[figure], after[figure]];
    if (was === null || is === null) continue;
    total.before += was;
    total.after += is;
    total.objects += 1;
  }
  return total;
}

/** Counts and sums over all objects. Pure. */
export function sumUp(impacts: readonly Impact[]): Summary {
  const count = (change: Change): number => impacts.filter((impact) => impact.change === change).length;
  const changes = Object.fromEntries(CHANGES.map((change) => [change, count(change)])) as Record<Change, number>;
  return { objects: impacts.length, changes, price: sum(impacts, "price"), carbon: sum(impacts, "carbon") };
}
