import type { Logger } from "pino";
import { messageOf } from "../../errors.ts";
import type { Composition } from "../context.ts";
import { FINALIZER } from "../keys.ts";
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
  let underway: Promise<void> | null = null;

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

  const timer = setInterval(() => {
    underway ??= sweep()
      .catch((thrown: unknown) => {
        log.warn({ error: messageOf(thrown) }, "RoleBindings that are no longer needed were not released");
      })
      .finally(() => {
        underway = null;
      });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await underway;
  };
}
