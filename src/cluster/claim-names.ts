/** Runs `work` while it alone has these names; does nothing and returns null if other work has one of them. */
export type ClaimNames = <T>(names: readonly string[], work: () => Promise<T>) => Promise<T> | null;

/** Names that work claims for its time. Nothing waits for a name: what would wait holds up other work. */
export function claimNames(): ClaimNames {
  const claimed = new Set<string>();
  return (names, work) => {
    if (names.some((name) => claimed.has(name))) return null;
    for (const name of names) claimed.add(name);
    return (async () => {
      try {
        return await work();
      } finally {
        for (const name of names) claimed.delete(name);
      }
    })();
  };
}
