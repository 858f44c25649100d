import type { Registry } from "../registry/open-registry.ts";

/** Limits of the signatures of one image. 1,024 keyless signatures of cosign 3 fit. */
const LIMITS = { bytes: 16 * 1024 * 1024, requests: 3000, usedMs: 5000 } as const;
/** After so much processor time (ms), other work of the thread gets its turn. */
const SLICE_MS = 5;
/** For each ms of processor time, the thread is left to other work for so many ms. */
const REST = 4;

/** A registry that counts what its answers take of this thread, which also answers requests. */
export interface Metered extends Registry {
  /** The limit that is exceeded, in words; null while there is none. */
  spent(): string | null;
}

/** Processor time of this thread, in ms: a busy machine makes nothing look slow. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Counts bytes, requests, and the processor time from each answer to the next question, in which nothing but the answer is
 * worked on. Questions wait so that this work takes a fifth of the thread at most.
 */
export function metered(registry: Registry): Metered {
  let [bytes, requests, usedMs, sliceMs] = [0, 0, 0, 0];
  let answeredMs: number | null = null;

  async function rest(): Promise<void> {
    const ms = answeredMs === null ? 0 : threadMs() - answeredMs;
    answeredMs = null;
    usedMs += ms;
    sliceMs += ms;
    if (sliceMs < SLICE_MS) return;
    const restMs = sliceMs * REST;
    sliceMs = 0;
    await new Promise((resolve) => setTimeout(resolve, restMs));
  }

  return {
    get: async (...asked) => {
      await rest();
      requests += 1;
      const body = await registry.get(...asked);
      bytes += body?.length ?? 0;
      answeredMs = threadMs();
      return body;
    },
    close: () => registry.close(),
    spent: () => {
      if (bytes >= LIMITS.bytes) return `${String(LIMITS.bytes)} bytes`;
      if (requests >= LIMITS.requests) return `${String(LIMITS.requests)} requests`;
      return usedMs >= LIMITS.usedMs ? `${String(LIMITS.usedMs)} ms of processor time` : null;
    },
  };
}
