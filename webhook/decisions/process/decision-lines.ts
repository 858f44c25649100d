import { buildEvent, type Decided, type DecisionEvent } from "../../../src/decision-log/build-event.ts";
import { maskEvent } from "../../../src/decision-log/mask-event.ts";
import { LandfallError } from "../../../src/errors.ts";
import { isObject } from "../../../src/model/json.ts";

/** JSON pointers of the fields that the bundle removes (data.landfall.decision_log.erase). */
function erased(data: Record<string, unknown>, ref: string): string[] {
  const root = isObject(data["landfall"]) ? data["landfall"] : {};
  const erase = isObject(root["decision_log"]) ? root["decision_log"]["erase"] : [];
  if (Array.isArray(erase) && erase.every((pointer) => typeof pointer === "string" && pointer.startsWith("/")))
    return erase as string[];
  throw new LandfallError("BUNDLE_DATA", {
    ref,
    detail:
      'data.landfall.decision_log.erase is not a list of JSON pointers; write e.g. ["/input/object/spec/userData"]',
  });
}

/** An event that cannot be masked, because its object is odd: without everything that the object could be part of. */
const withoutObject = (event: DecisionEvent): DecisionEvent => ({
  ...event,
  input: { request: event.input["request"] },
  result: null,
  erased: ["/input/object", "/input/namespace", "/result"],
});

/** The line of a decision, which took so many ms; null without a decision log. */
export type DecisionLines = (decided: Omit<Decided, "milliseconds">, milliseconds: number) => string | null;

/**
 * Makes lines of the decision log, masked by the bundle's rules and the built-in ones; null without labels, when there is
 * no decision log. Throws BUNDLE_DATA for masking rules of the wrong shape, also without a decision log.
 */
export function decisionLines(
  data: Record<string, unknown>,
  ref: string,
  labels: Record<string, string> | null,
): DecisionLines {
  const erase = erased(data, ref);
  if (labels === null) return () => null;
  return (decided, milliseconds) => {
    const event = buildEvent({ ...decided, milliseconds }, labels);
    try {
      return JSON.stringify(maskEvent(event, erase));
    } catch {
      return JSON.stringify(withoutObject(event));
    }
  };
}
