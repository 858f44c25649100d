import type { Logger } from "pino";
import { LandfallError, messageOf } from "../../errors.ts";
import { ANNOTATION } from "../../model/names.ts";
import { startReason } from "../../model/decision-annotation/pause.ts";
import { formatTime } from "../../model/time.ts";
import { ApiError } from "../../cluster/api-error.ts";
import type { KubeClient } from "../../cluster/create-client.ts";
import type { EventInput, EventRecorder } from "../../cluster/create-event-recorder.ts";
import type { Resource } from "../types.ts";
import type { Composition } from "../context.ts";
import { countdown } from "./countdown.ts";
import { missesDeadlineBy, plannedStart } from "../../model/decision-annotation/planned-start.ts";
import { isDue } from "./start-time.ts";

export interface StartOptions {
  client: KubeClient;
  list: () => Composition[];
  record: EventRecorder;
  log: Logger;
  /** Seconds since 1970. */
  nowSeconds: () => number;
  /** Milliseconds of a monotonic clock: a change of the wall clock does not delay a retry. */
  elapsedMs?: () => number;
  /** Milliseconds between two checks. */
  everyMs?: number;
}

/** Milliseconds before a failed start is tried again; twice as long after each further refusal, up to about a minute. */
const RETRY_MS = 2000;
const MOST_DOUBLINGS = 5;
/** Doublings for refusals that end by themselves (429): up to 8 s. */
const MOST_WHILE_BUSY = 2;
/** A start this many seconds late is reported as late: no controller ran that could resume the object. */
const LATE_SECONDS = 60;

/**
 * How many refusals in a row a start has now. The API server, or a webhook, refuses; a changed object or a server that is
 * unavailable is no refusal.
 */
function refusalsAfter(before: number, thrown: unknown): number {
  const status = thrown instanceof ApiError ? thrown.status : 0;
  if (status === 429) return Math.max(before, Math.min(before + 1, MOST_WHILE_BUSY));
  return status >= 400 && status < 500 && status !== 409 ? Math.min(before + 1, MOST_DOUBLINGS) : before;
}

/** The Event for a run that will end after its deadline. */
function deadlineMissed(composition: Resource, nowSeconds: number, seconds: number): EventInput {
  const { kind, metadata, spec = {} } = composition;
  const [by, deadline, started] = [countdown(seconds).text, String(spec["deadline"]), formatTime(nowSeconds)];
  const failure = new LandfallError("REL_DEADLINE_MISSED", { kind, name: metadata.name ?? "", started, deadline, by });
  return { type: "Warning", reason: failure.code, message: failure.line };
}

function started(composition: Resource, nowSeconds: number): EventInput {
  const seconds = missesDeadlineBy(composition, nowSeconds);
  if (seconds > 0) return deadlineMissed(composition, nowSeconds, seconds);
  const why = startReason(composition);
  if (why !== null) return { type: "Normal", reason: "StartedNow", message: `started before its planned time: ${why}` };
  const start = plannedStart(composition) ?? nowSeconds;
  const late = nowSeconds - start;
  if (late <= LATE_SECONDS)
    return { type: "Normal", reason: "Started", message: "its start time has come; the object is resumed" };
  const message = `started ${String(Math.round(late / 60))} min late: its planned start was ${formatTime(start)}`;
  return { type: "Warning", reason: "StartedLate", message };
}

/**
 * Resumes every composition whose start is due by removing its pause. Each check reads every object again and keeps no
 * timers, so a restart or a changed clock loses no start. Every replica does it, not only the leader: a start must not
 * wait for a change of leader, and the resource version lets only one of them succeed. It changes annotations only, so
 * it also works with Krateo's controller. Returns a function that stops it.
 */
export function startDue(options: StartOptions): () => Promise<void> {
  const { client, list, record, log, nowSeconds, elapsedMs = () => performance.now(), everyMs = 1000 } = options;
  const underway = new Map<string, Promise<void>>();
  const notBefore = new Map<string, number>();
  const refusals = new Map<string, number>();

  async function resume({ key, object, path }: Composition): Promise<void> {
    const { name, namespace, resourceVersion } = object.metadata;
    const annotations = { [ANNOTATION.paused]: null, [ANNOTATION.started]: formatTime(nowSeconds()) };
    const patch = { metadata: { resourceVersion, annotations } };
    try {
      await client.patch(path, "merge", patch);
      refusals.delete(key);
      log.info({ kind: object.kind, name, namespace }, "started");
      record(object, started(object, nowSeconds()));
    } catch (thrown) {
      refusals.set(key, refusalsAfter(refusals.get(key) ?? 0, thrown));
      log.warn({ kind: object.kind, name, namespace, error: messageOf(thrown) }, "the start failed; trying again");
    }
  }

  function look(): void {
    const [at, elapsed] = [nowSeconds(), elapsedMs()];
    for (const [key, until] of notBefore) if (until <= elapsed) notBefore.delete(key);
    const compositions = list();
    if (refusals.size > compositions.length) refusals.clear();
    for (const composition of compositions) {
      const { key } = composition;
      if (!isDue(composition.object, at) || underway.has(key) || notBefore.has(key)) continue;
      // Wait until the informer shows that it is resumed, and after a failure.
      notBefore.set(key, elapsed + RETRY_MS * 2 ** (refusals.get(key) ?? 0));
      underway.set(
        key,
        resume(composition).finally(() => underway.delete(key)),
      );
    }
  }

  const timer = setInterval(look, everyMs);
  return async () => {
    clearInterval(timer);
    await Promise.allSettled(underway.values());
  };
}
