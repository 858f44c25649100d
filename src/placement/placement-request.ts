import type { PowerModel } from "../model/catalog.ts";
import type { IntensityCurve } from "../model/intensity.ts";
import type { Budgets, BudgetSettings, LoadTable } from "../model/load.ts";
import type { Candidate, PolicyResult } from "../model/policy.ts";
import type { StartWindow } from "./possible-starts.ts";
import type { Waiting } from "./zone-means.ts";

/** Where and when one object may run, and what speaks for each place and start. */
export interface PlacementRequest {
  candidates: readonly Candidate[];
  /** electricity zone -> curve */
  curves: ReadonlyMap<string, IntensityCurve>;
  power: PowerModel;
  objective: PolicyResult["objective"];
  window: StartWindow;
  /** By zone; for who decides again until the start. */
  waiting?: ReadonlyMap<string, Waiting>;
  /** What is placed already; nothing where it is left out. */
  load?: LoadTable;
  /** What may be placed; anything where it is left out. */
  budgets?: Budgets;
  /** Settles near-ties: the same seed gives the same choice, others spread over them. Default: the best score alone. */
  seed?: string;
  /** How much worse than the best score a near-tie may be, as a share of it (0.01 = 1 %). Default 0. */
  tolerance?: number;
}

/** One of several objects that are admitted together. */
export interface BatchItem {
  request: PlacementRequest;
  settings: BudgetSettings;
}
