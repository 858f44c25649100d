import type { Logger } from "pino";
import { hasStatus } from "../../cluster/client/api-error.ts";
import { logAbout } from "../../cluster/service/open-logger.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { EventRecorder } from "../../cluster/create-event-recorder.ts";
import { messageOf } from "../../errors.ts";
import {
  decisionId,
  type Move,
  readLastMove,
  readPlacement,
} from "../../model/decision-annotation/compact-decision.ts";
import { isPaused } from "../../model/decision-annotation/pause.ts";
import { ANNOTATION, IF_BETTER } from "../../model/names.ts";
import { interleave } from "../../model/interleave.ts";
import type { Resource } from "../types.ts";
import type { Composition } from "../context/composition-context.ts";
import { plannedStart } from "../../model/decision-annotation/planned-start.ts";
import { isScheduled } from "./start-time.ts";
import { textOf } from "../../model/json.ts";

export interface ReconsiderOptions {
  client: KubeClient;
  list: () => Composition[];
  record: EventRecorder;
  log: Logger;
  /** Seconds since 1970. */
  nowSeconds: () => number;
  /** Seconds between two rounds, with a jitter of a tenth. */
  everySeconds: number;
  /** 0 to 1 */
  random: () => number;
  /** The uids of the objects whose runs may pause and continue; none if omitted. */
  pausingRuns?: () => ReadonlySet<string>;
}

/** A start within this many seconds is not moved: that would race with resuming the object. */
const SETTLED_SECONDS = 60;

const decisionOf = ({ metadata }: Resource): string | undefined => metadata.annotations?.[ANNOTATION.decision];

function words(move: Move | null): string {
  if (move === null) return "decided again before its start";
  const { from, to, gain, why } = move;
  const saved = gain === null ? "" : `, ${(gain * 100).toFixed(1)} % less CO2e`;
  return `from ${from.place} at ${from.start} to ${to.place} at ${to.start}${saved} (${why})`;
}

const moved = (answer: Resource) => ({ reason: "Moved", message: words(readLastMove(answer)) });

/** The plan for the rest of a run. */
function planned(answer: Resource) {
  const { segments, end } = readPlacement(answer);
  const { gain = null, why = "" } = readLastMove(answer) ?? {};
  const pauses = Array.isArray(segments) ? segments.length - 1 : 0;
  const saved = gain === null ? "" : `, ${(gain * 100).toFixed(1)} % less CO2e`;
  const message = `${String(pauses)} pause${pauses === 1 ? "" : "s"} in all, ends ${textOf(end)}${saved} (${why})`;
  return { reason: "PlanChanged", message };
}

/** In turns by namespace: many of one do not hold up those of the others. */
const inTurns = (compositions: readonly Composition[]): Composition[] =>
  interleave([...Map.groupBy(compositions, ({ object }) => object.metadata.namespace ?? "").values()]);

/**
 * Asks the webhook at intervals to decide every composition that waits for its start again, and the rest of every run that may
 * pause, because forecasts change. The webhook compares and decides; an object that stays is not written. Only the leader runs
 * this. Returns a function that stops it.
 */
export function reconsiderStarts(options: ReconsiderOptions): () => Promise<void> {
  const { client, list, record, log, nowSeconds, everySeconds, random, pausingRuns } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let underway: Promise<void> = Promise.resolve();

  const waits = ({ object }: Composition): boolean =>
    isScheduled(object) && (plannedStart(object) ?? 0) > nowSeconds() + SETTLED_SECONDS;

  const asks = (): Composition[] => {
    const running = pausingRuns?.() ?? new Set();
    const goesOn = ({ object }: Composition): boolean =>
      running.has(object.metadata.uid ?? "") && !isPaused(object) && object.metadata.deletionTimestamp === undefined;
    return list().filter((composition) => waits(composition) || goesOn(composition));
  };

  async function ask({ object, path }: Composition): Promise<boolean> {
    const { resourceVersion, name, namespace } = object.metadata;
    const annotations = { [ANNOTATION.reevaluate]: IF_BETTER };
    const answer = await client.patch<Resource>(path, "merge", { metadata: { resourceVersion, annotations } });
    if (answer.metadata.annotations?.[ANNOTATION.reevaluate] === IF_BETTER)
      log.warn({ kind: object.kind, name, namespace }, "no webhook handled the request to decide again");
    if (decisionOf(answer) === decisionOf(object)) return false;
    const told = isScheduled(object) ? moved(answer) : planned(answer);
    log.info({ kind: object.kind, name, namespace, move: told.message }, "decided again");
    record(object, { type: "Normal", ...told });
    return true;
  }

  /** In sequence: nothing is urgent, and the API server has other work. */
  async function round(): Promise<void> {
    const found = inTurns(asks());
    let moved = 0;
    for (const composition of found) {
      if (stopped) return;
      try {
        if (await logAbout({ decision: decisionId(composition.object) }, () => ask(composition))) moved += 1;
      } catch (thrown) {
        // Another client changed or removed it: the next round sees its new state.
        if (hasStatus(thrown, 409) || hasStatus(thrown, 404)) continue;
        log.warn(
          { key: composition.key, decision: decisionId(composition.object), error: messageOf(thrown) },
          "it could not be decided again",
        );
      }
    }
    if (found.length > 0) log.info({ asked: found.length, moved }, "starts and runs were decided again");
  }

  function plan(): void {
    timer = setTimeout(
      () => {
        underway = round().finally(() => {
          if (!stopped) plan();
        });
      },
      everySeconds * 1000 * (0.9 + random() / 5),
    );
  }

  plan();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await underway;
  };
}
