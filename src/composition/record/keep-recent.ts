/** Values by name, each for some ms after it was set. */
export interface Recent<T> {
  get(name: string): T | undefined;
  set(name: string, value: T): void;
  delete(name: string): void;
}

/** `nowMs`: of a clock that is never set. */
export function keepRecent<T>(ms: number, nowMs: () => number = () => performance.now()): Recent<T> {
  // In the order in which they were set: the first ones end first.
  const known = new Map<string, { value: T; until: number }>();

  function forgetOld(now: number): void {
    for (const [name, { until }] of known) {
      if (until > now) return;
      known.delete(name);
    }
  }

  return {
    get(name) {
      const found = known.get(name);
      return found !== undefined && found.until > nowMs() ? found.value : undefined;
    },
    set(name, value) {
      const now = nowMs();
      forgetOld(now);
      known.delete(name);
      known.set(name, { value, until: now + ms });
    },
    delete(name) {
      known.delete(name);
    },
  };
}
