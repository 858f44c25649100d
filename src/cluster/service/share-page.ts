/** The result of `make`, which is called again when it is this many ms old. All who ask meanwhile get the same. */
export function sharePage<T>(ms: number, make: () => T, nowMs = () => performance.now()): () => T {
  let made: { page: T; at: number } | null = null;
  return () => {
    if (made === null || nowMs() - made.at >= ms) made = { page: make(), at: nowMs() };
    return made.page;
  };
}
