import type { Logger } from "pino";
import type { Composition } from "../context/composition-context.ts";
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
  const namespacesInUse = (): Set<string | undefined> | null => {
    const held = list()?.filter(({ object }) => object.metadata.finalizers?.includes(FINALIZER) === true);
    return held === undefined ? null : new Set(held.map(({ object }) => object.metadata.namespace));
  };

  async function sweep(): Promise<void> {
    const inUse = namespacesInUse();
    if (inUse === null) return;
    // Read again for the few that seem to be free: objects come while the sweep waits for answers.
    await release((namespace) => inUse.has(namespace) || namespacesInUse()?.has(namespace) !== false);
  }

  return repeat(sweep, { everyMs, log, failure: "RoleBindings that are no longer needed were not released" });
}
