import type { Logger } from "pino";
import { ApiError, hasStatus } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { dryRunMachine } from "../../cluster/dry-run-machine.ts";
import { messageOf } from "../../errors.ts";
import { ANNOTATION, WEBHOOK } from "../../model/names.ts";
import type { CompositionMetrics, ProbeResult } from "../context/composition-metrics.ts";
import { repeat } from "../repeat.ts";

export interface ProbeOptions {
  client: KubeClient;
  /** Landfall's own. */
  systemNamespace: string;
  /** 0 or omitted for no probes. */
  probeSeconds?: number;
  metrics: Pick<CompositionMetrics, "probed">;
  log: Logger;
  /** Seconds since 1970. */
  nowSeconds: () => number;
}

/** Ms after which a probe has failed: longer than the API server waits for the webhook. */
const LIMIT_MS = 15_000;
const DENIED = `admission webhook "${WEBHOOK.placement}" denied the request`;

/** Whether the API server refuses the kind, or this client: that says nothing about the webhook. */
const isUnasked = (thrown: unknown): boolean =>
  hasStatus(thrown, 404) || (hasStatus(thrown, 403) && !messageOf(thrown).includes(DENIED));

/** Has the API server ask the webhook, by a dry run that stores nothing. Null if it could not be asked. */
async function probeOnce({ client, systemNamespace, log }: ProbeOptions): Promise<ProbeResult | null> {
  const metadata = { generateName: "landfall-probe-", namespace: systemNamespace };
  try {
    const made = await dryRunMachine(client, metadata);
    if (made.metadata.annotations?.[ANNOTATION.decision] !== undefined) return "decided";
    log.error("the API server created an object without a decision (dry run): run `landfall doctor`");
    return "undecided";
  } catch (thrown) {
    const detail = thrown instanceof ApiError ? thrown.detail : messageOf(thrown);
    if (detail.includes(DENIED)) return "denied";
    if (isUnasked(thrown)) {
      log.debug({ error: detail }, "admission cannot be probed");
      return null;
    }
    log.warn({ error: detail }, "a probe of admission failed");
    return "failed";
  }
}

/**
 * Asks the API server at intervals whether it would admit an object, and measures how long that takes: what users feel, which the webhook
 * itself cannot know. Returns a function that stops it.
 */
export function probeAdmission(options: ProbeOptions): () => Promise<void> {
  const { probeSeconds = 0, metrics, log, nowSeconds } = options;
  if (probeSeconds === 0) return () => Promise.resolve();
  const work = async (): Promise<void> => {
    const beganAt = performance.now();
    const late = new Promise<"failed">((resolve) => {
      setTimeout(() => {
        resolve("failed");
      }, LIMIT_MS).unref();
    });
    const result = await Promise.race([probeOnce(options), late]);
    if (result !== null) metrics.probed(result, (performance.now() - beganAt) / 1000, nowSeconds());
  };
  void work();
  return repeat(work, { everyMs: probeSeconds * 1000, log, failure: "a probe of admission failed" });
}
