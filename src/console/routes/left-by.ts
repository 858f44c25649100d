import type { FastifyReply } from "fastify";

/** Aborted when the page no longer waits for the answer. */
export function leftBy({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  // Left while its user was checked: it does not say so again.
  if (raw.destroyed) left.abort();
  raw.once("close", () => {
    if (!raw.writableFinished) left.abort();
  });
  return left.signal;
}
