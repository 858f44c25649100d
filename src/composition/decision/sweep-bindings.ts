import type { Logger } from "pino";
import { readSignatureId } from "../../model/decision-annotation/signature.ts";
import type { Composition } from "../context/composition-context.ts";
import { repeat } from "../repeat.ts";
import type { Bindings } from "../record/open-bindings.ts";

export interface SweepOptions {
  bindings: Bindings;
  /** Null as long as not every kind of composition has been listed. */
  list: () => Composition[] | null;
  log: Logger;
  /** Milliseconds between two sweeps. */
  everyMs?: number;
}

/** All that are stored are listed at each so many sweeps: earlier processes made some of them. */
const LISTED_EVERY = 20;

/** Removes bindings of decisions that no object has, at intervals. Returns a function that stops it. */
export function sweepBindings({ bindings, list, log, everyMs = 30_000 }: SweepOptions): () => Promise<void> {
  let sweeps = 0;

  async function sweep(): Promise<void> {
    const objects = list()?.map(({ object }) => object) ?? null;
    // Before everything was listed, nothing is known to be gone.
    if (objects === null) return;
    const uids = new Set(objects.map(({ metadata }) => metadata.uid));
    const ids = new Set(objects.map((object) => readSignatureId(object)));
    sweeps += 1;
    const of = sweeps % LISTED_EVERY === 0 ? "all" : "own";
    const removed = await bindings.sweep(({ id, uid }) => uids.has(uid) || ids.has(id), of);
    if (removed > 0) log.info({ removed }, "bindings of decisions without an object were removed");
  }

  return repeat(sweep, { everyMs, log, failure: "bindings of decisions could not be read or removed" });
}
