/** Replicas that start for the first time make the shards together, within this time in seconds. */
const NEW_SECONDS = 60;

/**
 * The shards that were deleted: where others are older, all were made. `found`: when each shard was made, in seconds since 1970; null for
 * none, undefined if it is not known.
 */
export const missingShards = (found: readonly (number | null | undefined)[], nowSeconds: number): number[] =>
  found.some((madeAt) => typeof madeAt === "number" && madeAt < nowSeconds - NEW_SECONDS)
    ? found.flatMap((madeAt, index) => (madeAt === null ? [index] : []))
    : [];
