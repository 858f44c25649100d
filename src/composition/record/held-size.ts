import { isObject } from "../../model/json.ts";
import type { RunningSize } from "../../model/decision-annotation/system-secrets.ts";

/**
 * A size that revisions of a release had and its present ones have not. That helm replaced a revision does not say that its provider did
 * the same: a machine runs on as it was where the change is refused. So the size counts until the provider's objects show otherwise.
 */
export interface HeldSize extends RunningSize {
  /** When it was replaced, in seconds since 1970. */
  at: number;
  /** The uids of the operator's objects that may run it; null as long as the controller did not look. */
  machines: string[] | null;
}

/** Whether something in a record is a size that is held. */
export const isHeldSize = (value: unknown): value is HeldSize =>
  isObject(value) &&
  typeof value["place"] === "string" &&
  ["vcpus", "memoryGiB", "at"].every((field) => Number.isFinite(value[field])) &&
  (value["machines"] === null || Array.isArray(value["machines"]));
