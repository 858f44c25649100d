import { count, figure, limited, list, type Of, oneOf, orNull, record, text, within } from "./schema.ts";

/** The dimensions that the policies can shift. */
const SHIFTS = ["both", "place", "time"] as const;

/** The options of a simulation, as those of `landfall simulate`. */
export const SIMULATE_BODY = record({
  jobs: within(1, 5000),
  seed: within(0, 2_147_483_647),
  shift: oneOf(SHIFTS),
  /** Hours, as `1-24`. */
  duration: limited(9),
  slack: limited(9),
  /** Percent; null for the bundle's. */
  waitingCost: orNull(within(0, 10_000)),
  /** Costs of waiting in percent, as `0,5,10`; empty for no frontier. */
  frontier: limited(60),
  /** With `time` alone; 0 for none. */
  maxPauses: within(0, 20),
  knownHours: within(0, 168),
});
export type SimulateBody = Of<typeof SIMULATE_BODY>;

const POLICY = record({
  name: text,
  kgCO2: figure,
  cost: orNull(figure),
  meanDelayHours: figure,
  meanLatencyMs: orNull(figure),
  deadlineMisses: count,
  violations: count,
  busiestRegionShare: figure,
});

/** A way to run with pauses, and without any for comparison. Shares are of 1. */
const PAUSING = record({
  name: text,
  kgCO2: figure,
  savedOverOneRun: orNull(figure),
  meanDelayHours: figure,
  meanPauses: figure,
  mostPauses: count,
  deadlineMisses: count,
});

const POINT = record({ kgCO2: figure, meanDelayHours: figure });

export const SIMULATION = record({
  jobs: count,
  policies: list(POLICY),
  upperBound: record({ kgCO2: figure }),
  /** The cost of a day of waiting in force, in percent: the bundle's unless the options gave one. */
  waitingCostPercent: figure,
  frontier: list(record({ waitingCostPercent: figure, ours: POINT, clairvoyant: POINT })),
  /** Empty unless runs may pause. */
  pauses: list(PAUSING),
  /** The plots of the report, each an SVG. */
  plots: list(record({ title: text, about: text, svg: text })),
});
export type SimulationResult = Of<typeof SIMULATION>;
