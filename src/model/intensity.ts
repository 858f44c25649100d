/**
 * Carbon intensity of an electricity zone over time, from whatever source: the catalog's climatology, a forecast, a
 * recorded series. Placement asks nothing else of it.
 */
export interface IntensityCurve {
  /** Mean gCO2eq/kWh from `start` (seconds since 1970) over `seconds` (> 0). */
  meanOver(start: number, seconds: number): number;
  /** Where the figures come from, for people. */
  readonly source: string;
  /** When a forecast was made, in seconds since 1970; null where nobody made one (climatology). */
  readonly issuedAt: number | null;
  /** Seconds since 1970 up to which something is really known; what the curve says beyond it is climatology. Null: all of it is. */
  readonly until: number | null;
}
