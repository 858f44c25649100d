import colors from "picocolors";
import { messageOf } from "../../../errors.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { formatLive, LIVE_COLUMNS } from "./format-live.ts";
import { type LiveObject, liveObject } from "./live-object.ts";

const PLAIN = colors.createColors(false);

/** Formats it in each way, to see whether that is possible. */
function tryToShow(live: LiveObject): void {
  for (const [, text] of LIVE_COLUMNS) text(live);
  formatLive(live, 0, PLAIN);
}

/**
 * An object as the text output shows it. Its owner may have written anything into its decision and status: one that cannot be shown is
 * given without both, and with a condition that says so, so that it never hides the others.
 */
export function anyLive(object: Resource): LiveObject {
  try {
    const live = liveObject(object);
    tryToShow(live);
    return live;
  } catch (thrown) {
    const message = `its decision or status cannot be shown: ${messageOf(thrown)}`;
    const ready = { type: "Ready", status: "Unknown", reason: "NotReadable", message, lastTransitionTime: "" } as const;
    return {
      ...liveObject({ ...object, status: {}, metadata: { ...object.metadata, annotations: {} } }),
      conditions: [ready],
    };
  }
}
