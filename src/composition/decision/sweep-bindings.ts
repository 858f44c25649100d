import type { Logger } from "pino";
import { readSignatureId } from "../../model/decision-annotation/signature.ts";
import type { Composition } from "../context/composition-context.ts";
import { repeat } from "../repeat.ts";
import type { Bindings } from "../record/open-bindings.ts";

export interface SweepOptions {
  bindings: Bindings;
  list: () => Composition[];
  log: Logger;
  /** Milliseconds between two sweeps. */
  everyMs?: number;
}

/** A decision that was signed before this time, in seconds, can no longer be bound. */
const SETTLED_SECONDS = 3600;

/** Removes bindings of decisions that no object has, at intervals. Returns a function that stops it. */
export function sweepBindings({ bindings, list, log, everyMs = 600_000 }: SweepOptions): () => Promise<void> {
  async function sweep(): Promise<void> {
    const objects = list().map(({ object }) => object);
    // Before anything was listed, nothing is known to be gone.
    if (objects.length === 0) return;
    const uids = new Set(objects.map(({ metadata }) => metadata.uid));
    const ids = new Set(objects.map((object) => readSignatureId(object)));
    const removed = await bindings.sweep(({ id, uid }) => uids.has(uid) || ids.has(id), SETTLED_SECONDS);
    if (removed > 0) log.info({ removed }, "bindings of decisions without an object were removed");
  }

  return repeat(sweep, { everyMs, log, failure: "bindings of decisions could not be read or removed" });
}
