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
