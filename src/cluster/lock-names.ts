/** Runs functions that share a name one after the other, in order of arrival, and all others concurrently. */
export function lockNames(): <T>(names: readonly string[], work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (names, work) => {
    const before = names.flatMap((name) => last.get(name) ?? []);
    const done = Promise.withResolvers<undefined>();
    for (const name of names) last.set(name, done.promise);
    await Promise.all(before);
    try {
      return await work();
    } finally {
      for (const name of names) if (last.get(name) === done.promise) last.delete(name);
      done.resolve(undefined);
    }
  };
}
