/** Since when every configuration names a CA, as this replica saw it. `settleMs` after it does, every API server has followed. */
export function followTrust({ elapsedMs, settleMs }: { elapsedMs: () => number; settleMs: number }) {
  /** By fingerprint, in elapsed ms; a CA that was there at the first look has been for long. */
  let trusted: Map<string, number> | null = null;
  /** How often all replicas together put back a CA. */
  let allRestores = 0;
  return {
    /** Null: there is no configuration. */
    see(common: ReadonlySet<string> | null): void {
      const [before, at] = [trusted, elapsedMs()];
      trusted = new Map([...(common ?? [])].map((one) => [one, before === null ? -Infinity : (before.get(one) ?? at)]));
    },
    /** A CA that a replica put back was not trusted in between, even if the others did not see that. */
    noteRestores(now: number): void {
      const at = elapsedMs();
      if (now !== allRestores) trusted = new Map([...(trusted ?? [])].map(([one]) => [one, at]));
      allRestores = now;
    },
    /** Whether the configurations name it for so long that every API server knows. */
    isSettled: (fingerprint: string): boolean => elapsedMs() - (trusted?.get(fingerprint) ?? Infinity) >= settleMs,
  };
}
