/**
 * A table that is looked up by names that others write: it has no prototype, so that `constructor` and the like are unknown names as
 * well.
 */
export const table = <Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.freeze(Object.assign(Object.create(null) as Record<string, Value>, entries));
