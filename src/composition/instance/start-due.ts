import type { Logger } from "pino";
import { messageOf } from "../../errors.ts";
import { ANNOTATION } from "../../model/names.ts";
import type { Cluster } from "../../cluster/connect.ts";
import type { RecordEvent } from "../../cluster/record-event.ts";
import type { Instance } from "./context.ts";
import { isDue } from "./start-time.ts";

export interface StartOptions {
  cluster: Cluster;
  list: () => Instance[];
  record: RecordEvent;
  log: Logger;
  /** Seconds since 1970. */
  now: () => number;
  /** Ms between two looks. */
  everyMs?: number;
}

/** Ms before a start that failed is tried again. */
const RETRY_MS = 5000;

/**
 * Lifts the pause of every composition whose start has come. It keeps no state of its own, so a restart loses nothing,
 * and touches only the annotation, so it serves Krateo's controller as well as ours. Answers a function that stops it.
 */
export function startDue(options: StartOptions): () => Promise<void> {
  const { cluster, list, record, log, now, everyMs = 1000 } = options;
  const underway = new Map<string, Promise<void>>();
  const notBefore = new Map<string, number>();

  async function lift({ composition, path, key }: Instance): Promise<void> {
    const { name, namespace, resourceVersion } = composition.metadata;
    const patch = { metadata: { resourceVersion, annotations: { [ANNOTATION.paused]: null } } };
    try {
      await cluster.patch(path, "merge", patch);
      log.info({ kind: composition.kind, name, namespace }, "started");
      record(composition, { type: "Normal", reason: "Started", message: "its start has come; the pause is lifted" });
      notBefore.delete(key);
    } catch (thrown) {
      log.warn({ kind: composition.kind, name, namespace, error: messageOf(thrown) }, "could not be started yet");
    }
  }

  function look(): void {
    const at = now();
    for (const instance of list()) {
      const { key } = instance;
      if (!isDue(instance.composition, at) || underway.has(key) || (notBefore.get(key) ?? 0) > at) continue;
      // Until the watch shows the lifted pause, and after a failure, it is not asked again at once.
      notBefore.set(key, at + RETRY_MS / 1000);
      underway.set(
        key,
        lift(instance).finally(() => underway.delete(key)),
      );
    }
  }

  const timer = setInterval(look, everyMs);
  return async () => {
    clearInterval(timer);
    await Promise.allSettled(underway.values());
  };
}
