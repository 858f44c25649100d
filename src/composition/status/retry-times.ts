import type { RetryTimes } from "../context/composition-context.ts";
import { readiness } from "./readiness.ts";
import type { Resource } from "../types.ts";

/** One resource of a release as it is found; null where it is not there. */
export interface Found {
  apiVersion: string;
  kind: string;
  name: string;
  live: Resource | null;
}

export const idOf = ({ apiVersion, kind, name }: Omit<Found, "live">): string => `${apiVersion} ${kind} ${name}`;

/**
 * Since when the resources have errors. ACK's conditions about them have no time, so the first time that they are seen counts.
 * `otherwise`: for errors that were not there `before`. Only those that are there now are kept.
 */
export function retryTimes(found: readonly Found[], before: RetryTimes, otherwise: number): RetryTimes {
  const failing = found.filter(({ live }) => live !== null && readiness(live).retrying);
  return new Map(failing.map((one) => [idOf(one), before.get(idOf(one)) ?? otherwise]));
}

/** States of a resource on which its operator works only when another one is there. */
export const WAITS = /Waiting|Dependency|Reference|Pending/;

/** Kinds whose operator gives a resource another generation with each machine that it makes. */
const WRITTEN_BACK = new Set(["Instance"]);

/** The work of an operator on one generation of a resource; of a machine that is made again and again on all of them until it is ready. */
export function workOf(found: Found): string {
  const generation = WRITTEN_BACK.has(found.kind) ? "" : String(found.live?.metadata.generation ?? 0);
  return `work on ${idOf(found)} ${found.live?.metadata.uid ?? ""}/${generation}`;
}

/** Whether its operator works on the resource, without an error and without waiting for another one. */
function isWorkedOn({ live }: Found): boolean {
  if (live === null || live.metadata.deletionTimestamp !== undefined) return false;
  const { ready, terminal, retrying, capacity, waits, reason } = readiness(live);
  return !ready && !terminal && !retrying && !capacity && waits !== true && !WAITS.test(reason);
}

/** Since when operators work on the resources: an operator that tries an update again and again has no error. `otherwise` as above. */
export function workTimes(found: readonly Found[], before: RetryTimes, otherwise: number): RetryTimes {
  return new Map(found.filter(isWorkedOn).map((one) => [workOf(one), before.get(workOf(one)) ?? otherwise]));
}
