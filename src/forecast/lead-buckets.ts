/** Longest lead in hours: a run of a day that may start in a week. */
export const HORIZON_HOURS = 192;

/** Leads in a bucket share their weights; the last hour of each bucket. */
const LAST_HOURS = [1, 2, 3, 4, 6, 8, 10, 12, 15, 18, 21, 24, 30, 36, 42, 48, 60, 72, 96, 120, 144, 168, HORIZON_HOURS];
export const BUCKETS = LAST_HOURS.length;

/** lead in hours (1 is the next hour) -> its bucket */
export const BUCKET_OF = Uint8Array.from({ length: HORIZON_HOURS + 1 }, (_, lead) =>
  LAST_HOURS.findIndex((last) => lead <= last),
);
export const lastHourOf = (bucket: number): number => LAST_HOURS[bucket] ?? HORIZON_HOURS;
export const firstHourOf = (bucket: number): number => (bucket === 0 ? 1 : lastHourOf(bucket - 1) + 1);
