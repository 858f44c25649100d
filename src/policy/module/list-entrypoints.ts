import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { LandfallError, messageOf } from "../../errors.ts";
import { textOf } from "../../model/json.ts";

/** A thread with the compiler needs less; the module's own memory is limited in the thread. */
const LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 };
const TIMEOUT_MS = 10_000;

/**
 * The names of the rules that a compiled module answers, sorted. No one may have verified the module: it runs in a thread of its own,
 * with limits of memory and time. Throws BUNDLE_UNREADABLE.
 */
export async function listEntrypoints(wasm: Buffer, ref: string, timeoutMs = TIMEOUT_MS): Promise<string[]> {
  const worker = new Worker(new URL("entrypoints-thread.ts", import.meta.url), {
    workerData: wasm,
    resourceLimits: LIMITS,
    stdout: true,
    stderr: true,
  });
  try {
    const [names] = (await once(worker, "message", { signal: AbortSignal.timeout(timeoutMs) })) as [string[]];
    return names.map(textOf).sort();
  } catch (thrown) {
    const slow = thrown instanceof Error && thrown.name === "AbortError";
    const detail = slow ? `its module did not answer within ${timeoutMs} ms` : messageOf(thrown);
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail }, thrown);
  } finally {
    await worker.terminate();
  }
}
