import type { PolicyResult, PolicyWarning } from "../../model/policy.ts";
import type { ScoredPlace } from "../../placement/choose-placement.ts";
import type { DecisionRequest } from "../types.ts";

/** What the user of a new object should know about its end. */
export function endWarnings(
  { object, operation, started }: DecisionRequest,
  { defaults }: PolicyResult,
  { candidate }: ScoredPlace,
): PolicyWarning[] {
  const { duration, maxLifetime, whenDone = defaults.whenDone ?? "keep" } = object.spec ?? {};
  if (operation !== "CREATE" || started === true || whenDone !== "keep" || typeof duration !== "string") return [];
  if (typeof maxLifetime === "string")
    return [
      {
        code: "END_AT_LIMIT",
        message: `it runs on after its ${duration}, and is deleted after maxLifetime ${maxLifetime}`,
      },
    ];
  const { pricePerHour } = candidate;
  const cost = pricePerHour === null ? "" : `, for ${pricePerHour.toFixed(3)} USD per hour`;
  return [
    {
      code: "END_KEPT",
      message: `nothing ends it after its ${duration}: it runs on${cost}; write whenDone: delete to end it`,
    },
  ];
}
