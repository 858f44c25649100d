import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../src/cluster/client/api-error.ts";
import type { ReadOptions } from "../../src/cluster/client/create-client.ts";

async function next(signal: AbortSignal | undefined): Promise<never> {
  await sleep(60_000, undefined, { signal }).catch(() => undefined);
  throw new ApiError(0, { action: "watch", detail: "closed" });
}

/** The `stream` of a client whose watch says nothing until it is closed. */
export const quietWatch = (_path: string, { signal }: Pick<ReadOptions, "signal">) =>
  Promise.resolve({ [Symbol.asyncIterator]: () => ({ next: () => next(signal) }) });
