import { type CatalogType, GPU_FAMILY, type InstanceTypesFile, type ProviderTypes } from "../catalog-files.ts";
import { table } from "../../../model/table.ts";

/** How each provider writes a size within a series: what stands for it in the name of the series. */
const SERIES: Readonly<Record<string, (type: string) => string>> = table({
  // Standard_D16as_v5 -> Standard_D#as_v5
  azure: (type) => type.replace(/^(Standard_[A-Z]+)\d+/, "$1#"),
  // m7i.2xlarge -> m7i
  aws: (type) => type.split(".", 1)[0] ?? type,
  // n2-standard-8 -> n2-standard-#, a2-highgpu-1g -> a2-highgpu-#
  gcp: (type) =>
    type
      .split("-")
      .map((part, at) => (at > 0 && /^\d/.test(part) ? "#" : part))
      .join("-"),
});

/** The series of a machine type: its sizes differ in the number of vCPUs, and their prices grow with it. */
export const seriesOf = (provider: string, type: string): string => SERIES[provider]?.(type) ?? type;

/** USD per vCPU and hour: a price outside is in another unit, such as cents or USD per month. */
const PER_VCPU = { least: 0.001, most: 1.5 };
/** The same of types with GPUs. */
const PER_GPU_VCPU = { least: 0.01, most: 15 };
/** A price in one place, relative to the lower quartile of the type's prices: real differences between regions stay within. */
const ELSEWHERE = { least: 0.4, most: 3 };
/** Prices of fewer places say nothing about another one. */
const FEWEST_PLACES = 4;
/** Above the cheapest sizes of the same series in the same place: a licence's price was added, for example. */
const SERIES_MOST = 1.2;
/** Price per vCPU relative to the median of the same family, with as much memory per vCPU, in the same place. */
const FAMILY = { least: 0.2, most: 5 };
const FEWEST_RELATIVES = 5;

/** The rules, in the order in which they are applied. A price that one removes does not count for the next ones. */
export const RULES = ["unit", "elsewhere", "series", "family"] as const;
export type Rule = (typeof RULES)[number];

/** A price that cannot be true. */
export interface Outlier {
  rule: Rule;
  provider: string;
  region: string;
  type: string;
  /** USD per hour, as it was published. */
  price: number;
  /** The value that the rule compares it with; null for `unit`. */
  expected: number | null;
}

interface Price {
  type: string;
  facts: CatalogType;
  column: number;
  price: number;
}

type Range = Readonly<{ least: number; most: number }>;

/** A wrong price, and what was expected instead. */
type Wrong = readonly [price: Price, expected: number | null];

const isWithin = (value: number, { least, most }: Range): boolean => value >= least && value <= most;

/** The value at a share of the sorted list, but not before `from`; `values` is not empty. */
function quantile(values: readonly number[], share: number, from = 0): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(from, Math.floor((sorted.length - 1) * share))] ?? 0;
}

const pricesOf = ({ types }: ProviderTypes): Price[] =>
  Object.entries(types).flatMap(([type, facts]) =>
    facts.prices.flatMap((price, column) => (price === null || price === -1 ? [] : [{ type, facts, column, price }])),
  );

const rangeOf = ({ family }: CatalogType): Range => (family === GPU_FAMILY ? PER_GPU_VCPU : PER_VCPU);

const inOtherUnit = (prices: readonly Price[]): Wrong[] =>
  prices.flatMap((one) => (isWithin(one.price / one.facts.vcpus, rangeOf(one.facts)) ? [] : [[one, null]]));

/** The lower quartile of each type's prices: a price that a licence was added to does not count. */
function usualPrices(prices: readonly Price[], from = 0): Map<string, number> {
  const usual = new Map<string, number>();
  for (const [type, here] of Map.groupBy(prices, (one) => one.type))
    if (here.length >= FEWEST_PLACES)
      usual.set(
        type,
        quantile(
          here.map(({ price }) => price),
          0.25,
          from,
        ),
      );
  return usual;
}

function unlikeElsewhere(prices: readonly Price[]): Wrong[] {
  // Of four prices the lower quartile is the lowest, which may be the wrong one.
  const usual = usualPrices(prices, 1);
  return prices.flatMap((one): Wrong[] => {
    const expected = usual.get(one.type);
    return expected === undefined || isWithin(one.price / expected, ELSEWHERE) ? [] : [[one, expected]];
  });
}

/**
 * The sizes of a series cost the same per vCPU, relative to elsewhere. Where they do not, the cheapest ones are right: a licence or
 * an option only adds to a price, and `unlikeElsewhere` has already removed prices that are too low.
 */
function unlikeSeries(prices: readonly Price[], provider: string): Wrong[] {
  const usual = usualPrices(prices);
  const groups = Map.groupBy(prices, ({ type, column }) => `${seriesOf(provider, type)} ${String(column)}`);
  return [...groups.values()].flatMap((sizes) => {
    const known = sizes.flatMap((one) => {
      const expected = usual.get(one.type);
      return expected === undefined ? [] : [{ one, expected, ratio: one.price / expected }];
    });
    const least = Math.min(...known.map(({ ratio }) => ratio));
    return known.flatMap(({ one, expected, ratio }): Wrong[] =>
      ratio <= least * SERIES_MOST ? [] : [[one, expected * least]],
    );
  });
}

/** Memory per vCPU as a power of two. */
const shapeOf = ({ vcpus, memoryGiB }: CatalogType): number => Math.round(Math.log2(memoryGiB / vcpus));

function unlikeFamily(prices: readonly Price[]): Wrong[] {
  const groups = Map.groupBy(
    prices.filter(({ facts }) => facts.family !== GPU_FAMILY),
    ({ facts, column }) => [facts.family, facts.class, facts.arch, shapeOf(facts), column].join(" "),
  );
  return [...groups.values()]
    .filter((group) => group.length >= FEWEST_RELATIVES)
    .flatMap((group) => {
      const median = quantile(
        group.map(({ price, facts }) => price / facts.vcpus),
        0.5,
      );
      return group.flatMap((one): Wrong[] =>
        isWithin(one.price / one.facts.vcpus / median, FAMILY) ? [] : [[one, median * one.facts.vcpus]],
      );
    });
}

const CHECKS: Readonly<Record<Rule, (prices: readonly Price[], provider: string) => Wrong[]>> = {
  unit: inOtherUnit,
  elsewhere: unlikeElsewhere,
  series: unlikeSeries,
  family: unlikeFamily,
};

/** A price without its type's other facts. */
const plain = (rule: Rule, [{ type, column, price }, expected]: Wrong, regions: readonly string[]) => ({
  ...{ rule, region: regions[column] ?? String(column), type, price },
  expected: expected === null ? null : Number(expected.toPrecision(3)),
});

/** Again until nothing is found: the quartile of a type's prices moves when a wrong one is removed. */
function outliersOf(provider: string, table: ProviderTypes): Outlier[] {
  const found: Outlier[] = [];
  let [prices, before] = [pricesOf(table), -1];
  while (found.length > before) {
    before = found.length;
    for (const rule of RULES) {
      const wrong = CHECKS[rule](prices, provider);
      const removed = new Set(wrong.map(([price]) => price));
      found.push(...wrong.map((one) => ({ provider, ...plain(rule, one, table.regions) })));
      prices = prices.filter((one) => !removed.has(one));
    }
  }
  return found;
}

/**
 * The prices that cannot be true: in another unit, far from the same type elsewhere, above the other sizes of the series in the same
 * place, or far from the family there. Pure.
 */
export const findOutliers = ({ providers }: Pick<InstanceTypesFile, "providers">): Outlier[] =>
  Object.entries(providers).flatMap(([provider, table]) => outliersOf(provider, table));
