/** Runs at most `most` of the given works at once, the rest in order of arrival. */
export function limitConcurrency(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) {
      const turn = Promise.withResolvers<undefined>();
      waiting.push(() => {
        turn.resolve(undefined);
      });
      await turn.promise;
    } else running += 1;
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so nobody can slip in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
