import { isObject, stringOf, stringsOf } from "../../model/json.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";
import { formatTime, parseTime } from "../../model/time.ts";
import type { Policies, QuarantinedBundle, ReportedBundle } from "../contract/policies.ts";

/** The parts of an Event that are read. */
export interface EventObject extends KubernetesObject {
  reason?: unknown;
  message?: unknown;
  lastTimestamp?: unknown;
  eventTime?: unknown;
}

function fieldsOf(message: unknown): Record<string, unknown> {
  try {
    const fields: unknown = JSON.parse(stringOf(message));
    return isObject(fields) ? fields : {};
  } catch {
    return {};
  }
}

function timeOf({ lastTimestamp, eventTime }: EventObject): string {
  const seconds = parseTime(stringOf(lastTimestamp)) ?? parseTime(stringOf(eventTime));
  return seconds === null ? "" : formatTime(seconds);
}

const newestFirst = <T extends { at: string }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1));

const firstBy = <T>(all: readonly T[], keyOf: (one: T) => string): T[] => [
  ...new Map(all.toReversed().map((one) => [keyOf(one), one])).values(),
];

/**
 * The bundles that the webhook reported active, the newest of each name, and those that it refused and has not used since. An Event can be
 * written by others, so nothing of it is trusted but its being text. Pure.
 */
export function reportedBundles(
  events: readonly EventObject[],
): Pick<Policies, "active" | "reportedBy" | "eventsSince" | "quarantined"> {
  const told = events.map((event) => ({ event, at: timeOf(event), fields: fieldsOf(event.message) }));
  const active = newestFirst(
    told
      .filter(({ event }) => event.reason === "BundleActive")
      .map(({ at, fields: { bundle, digest, revision, signers } }): ReportedBundle => {
        const what = { bundle: stringOf(bundle), digest: stringOf(digest), content: "", revision: stringOf(revision) };
        return { ...what, signers: stringsOf(signers), at };
      }),
  );
  const refused = newestFirst(
    told
      .filter(({ event }) => event.reason === "BundleNotUsed")
      .map(({ at, fields: { digest, code, detail } }): QuarantinedBundle => {
        return { digest: stringOf(digest), code: stringOf(code), reason: stringOf(detail), at };
      }),
  );
  const usedSince = ({ digest, at }: QuarantinedBundle): boolean =>
    active.some((one) => one.digest === digest && one.at >= at);
  const times = told.map(({ at }) => at).filter((at) => at !== "");
  return {
    reportedBy: "events",
    eventsSince: times.toSorted()[0] ?? null,
    active: firstBy(active, ({ bundle }) => bundle),
    quarantined: firstBy(refused, ({ digest, code }) => `${digest} ${code}`).filter((one) => !usedSince(one)),
  };
}
