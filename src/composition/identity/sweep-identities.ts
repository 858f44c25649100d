import type { Logger } from "pino";
import type { Composition } from "../context.ts";
import { FINALIZER } from "../keys.ts";
import { repeat } from "../repeat.ts";
import type { Identities } from "./open-identities.ts";

export interface IdentitySweepOptions {
  release: Identities["release"];
  /** Null as long as not every kind of composition has been listed. */
  list: () => Composition[] | null;
  log: Logger;
  /** Milliseconds between two sweeps. */
  everyMs?: number;
}

/** Lets the RoleBindings of namespaces without compositions go, at intervals. Returns a function that stops it. */
export function sweepIdentities({ release, list, log, everyMs = 5000 }: IdentitySweepOptions): () => Promise<void> {
  async function sweep(): Promise<void> {
    const compositions = list();
    if (compositions === null) return;
    const needed = new Set(
      compositions
        .filter(({ object }) => object.metadata.finalizers?.includes(FINALIZER) === true)
        .map(({ object }) => object.metadata.namespace ?? ""),
    );
    await release((namespace) => needed.has(namespace));
  }

  return repeat(sweep, { everyMs, log, failure: "RoleBindings that are no longer needed were not released" });
}
