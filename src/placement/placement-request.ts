import type { PowerModel } from "../model/places/catalog.ts";
import type { IntensityCurve } from "../model/places/intensity.ts";
import type { Budgets, BudgetSettings, LoadTable } from "../model/places/load.ts";
import type { Candidate, PolicyResult } from "../model/policy.ts";
import type { PauseRules } from "../model/runs/pause-rules.ts";
import type { Provider } from "../model/workload.ts";
import type { StartWindow } from "./possible-starts.ts";
import type { Waiting } from "./zone-means.ts";

/** The possible places and starts of one object, and the data to score them. */
export interface PlacementRequest {
  candidates: readonly Candidate[];
  /** electricity zone -> curve */
  curves: ReadonlyMap<string, IntensityCurve>;
  power: PowerModel;
  objective: PolicyResult["objective"];
  window: StartWindow;
  /** By zone, for objects that are decided again until their start. */
  waiting?: ReadonlyMap<string, Waiting>;
  /** Share of the best score of an immediate start that one day of waiting has to save; 0 if omitted. */
  waitingCost?: number;
  /** How the run may pause; omitted if it must not. */
  pauses?: PauseRules;
  /** Seconds until a machine of these providers works after it was started; a resume takes at least as long. None if omitted. */
  bootSeconds?: Partial<Record<Provider, number>>;
  /** Share of the emissions of an immediate run that each pause has to save; 0 if omitted. */
  pauseGain?: number;
  /** The hard limit from the start to the end of a run that pauses; unlimited if omitted. */
  maxSpanSeconds?: number;
  /** Load of placed workloads; none if omitted. */
  load?: LoadTable;
  /** Budgets; unlimited if omitted. */
  budgets?: Budgets;
  /**
   * Breaks near-ties: the same seed gives the same choice, different seeds are distributed over them. Default: the best
   * score.
   */
  seed?: string;
  /** Relative tolerance of a near-tie to the best score (0.01 = 1 %). Default 0. */
  tolerance?: number;
}

/** One of several objects that are admitted together. */
export interface BatchItem {
  request: PlacementRequest;
  settings: BudgetSettings;
}
