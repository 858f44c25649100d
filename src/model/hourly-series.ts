/** Measured carbon intensity of an electricity zone, hour by hour without gaps. */
export interface HourlySeries {
  /** Seconds since 1970 of the first hour's beginning; a full hour. */
  start: number;
  /** gCO2eq/kWh, life-cycle. */
  values: Float64Array;
  /** The mean of the year before the series, which is what one knows when it begins; null where none is published. */
  before: number | null;
}
