import { isObject } from "../model/json.ts";
import { valueAt } from "./roots.ts";

/** A change of decisions that the platform team has seen with `landfall impact` and signed off. */
export interface Announcement {
  /** The bundle that is replaced: `sha256:…` of its tarball or image. */
  replaces: string;
  /** How many objects may be denied that were allowed. */
  denies: number;
  /** How many requests may be allowed that were denied. */
  allows: number;
  /** Who has seen it. */
  by: string;
}

/** `announced` of a bundle's settings, which checkSettings has looked at; empty if there is none. */
export function announcements(data: Record<string, unknown>): Announcement[] {
  const settings = valueAt(data, "landfall/settings");
  const announced = isObject(settings) ? settings["announced"] : undefined;
  return Array.isArray(announced) ? (announced as Announcement[]) : [];
}
