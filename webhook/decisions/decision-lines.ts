import { buildEvent, type Decided } from "../../src/decision-log/build-event.ts";
import { maskEvent } from "../../src/decision-log/mask-event.ts";
import { LandfallError } from "../../src/errors.ts";
import { isObject } from "../../src/model/json.ts";

/** JSON pointers of what the bundle wants taken out (data.landfall.decision_log.erase). */
function erased(data: Record<string, unknown>, ref: string): string[] {
  const root = isObject(data["landfall"]) ? data["landfall"] : {};
  const erase = isObject(root["decision_log"]) ? root["decision_log"]["erase"] : [];
  if (Array.isArray(erase) && erase.every((pointer) => typeof pointer === "string" && pointer.startsWith("/")))
    return erase as string[];
  throw new LandfallError("BUNDLE_DATA", { ref, detail: "data.landfall.decision_log.erase has to list JSON pointers" });
}

/**
 * Makes lines of the decision log, masked by the bundle's rules and ours; null without labels, because then nobody wants
 * any. Throws BUNDLE_DATA for rules of the wrong shape, whether they are wanted or not.
 */
export function decisionLines(
  data: Record<string, unknown>,
  ref: string,
  labels: Record<string, string> | null,
): (decided: Omit<Decided, "milliseconds">, milliseconds: number) => string | null {
  const erase = erased(data, ref);
  if (labels === null) return () => null;
  return (decided, milliseconds) => JSON.stringify(maskEvent(buildEvent({ ...decided, milliseconds }, labels), erase));
}
