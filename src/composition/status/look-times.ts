import { conditionsOf } from "../../model/kubernetes.ts";
import { parseTime } from "../../model/time.ts";
import type { RetryTimes } from "../context/composition-context.ts";
import { readiness } from "./readiness.ts";
import { type Found, idOf } from "./retry-times.ts";

/** An operator that has looked at a change. */
const SEEN = Infinity;
/** Conditions have whole seconds, so two looks within one have the same time. In seconds, with a clock that differs a little. */
const TOO_CLOSE_SECONDS = 5;

/** The time of ACK's last look at a resource that it calls ready: it renews its conditions at each, whatever it finds. Null for others. */
function lookedAt({ live }: Found): string | null {
  if (live === null || !/^[^/]+\.services\.k8s\.aws\//.test(live.apiVersion) || !readiness(live).ready) return null;
  const synced = conditionsOf(live).find(({ type }) => type === "ACK.ResourceSynced");
  return synced?.lastTransitionTime ?? null;
}

const beginOf = (found: Found, at: string): string => `look at ${idOf(found)} ${found.live?.metadata.uid ?? ""} ${at}/`;

const keyOf = (found: Found, at: string): string =>
  `${beginOf(found, at)}${String(found.live?.metadata.generation ?? 0)}`;

/** Since when a generation that was not there `before` waits for a look: it has the time of the last look at an earlier one. */
function waitsSince(found: Found, at: string, before: RetryTimes, nowSeconds: number): number {
  const earlier = [...before].find(([key]) => key.startsWith(beginOf(found, at)));
  const isClose = nowSeconds - (parseTime(at) ?? nowSeconds) < TOO_CLOSE_SECONDS;
  return earlier === undefined || isClose ? SEEN : Math.min(earlier[1], nowSeconds);
}

/**
 * Since when changes wait for a look of ACK, whose conditions have no generation. Changes from before this process are not known: they
 * count as seen.
 */
export function lookTimes(found: readonly Found[], before: RetryTimes, nowSeconds: number): RetryTimes {
  return new Map(
    found.flatMap((one) => {
      const at = lookedAt(one);
      if (at === null) return [];
      const key = keyOf(one, at);
      return [[key, before.get(key) ?? waitsSince(one, at, before, nowSeconds)] as const];
    }),
  );
}

/** Since when the last change of a resource waits for its operator; null if it does not. */
export function unseenSince(found: Found, times: RetryTimes): number | null {
  const at = lookedAt(found);
  const since = at === null ? SEEN : (times.get(keyOf(found, at)) ?? SEEN);
  return since === SEEN ? null : since;
}

/** Whether a change waits for a look. */
export const isLookAwaited = (times: RetryTimes | undefined): boolean =>
  [...(times ?? [])].some(([key, since]) => key.startsWith("look at ") && since !== SEEN);
