/** Drift as text, and the upgrades that were made for it. */
export type DriftHistory = ReadonlyMap<string, { at: number; times: number }>;

const FIRST_SECONDS = 30;
const LONGEST_SECONDS = 3600;

/** Seconds for which drift is ignored after this many upgrades for it, so that two controllers do not fight. */
const patience = (times: number): number => Math.min(LONGEST_SECONDS, FIRST_SECONDS * 4 ** (times - 1));

/** True if an upgrade was made for this drift recently. `nowSeconds` in seconds. */
export function isTriedLately(history: DriftHistory, drift: string, nowSeconds: number): boolean {
  const tried = history.get(drift);
  return tried !== undefined && nowSeconds - tried.at < patience(tried.times);
}

/** The history after an upgrade, with `drift` if that was its reason; drift that did not recur for long is removed. */
export function afterUpgrade(history: DriftHistory, drift: string | null, nowSeconds: number): DriftHistory {
  const recent = [...history].filter(([, { at, times }]) => nowSeconds - at < 2 * patience(times));
  if (drift === null) return new Map(recent);
  return new Map([...recent, [drift, { at: nowSeconds, times: (history.get(drift)?.times ?? 0) + 1 }]]);
}
