import type { PolicyResult } from "../../model/policy.ts";
import type { PlaceKey } from "../../model/workload.ts";

/** The result without the places that have no machine now; unchanged if there are none. */
export function elsewhere(result: PolicyResult, without: readonly PlaceKey[] = []): PolicyResult {
  const { candidates, rejected, funnel } = result;
  if (without.length === 0) return result;
  const left = candidates.filter(({ place }) => !without.includes(place));
  const full = candidates.filter(({ place }) => without.includes(place)).map(({ place }) => place);
  const text = `places with machines: ${String(left.length)} remain${left.length === 1 ? "s" : ""}`;
  return {
    ...result,
    candidates: left,
    rejected: { ...rejected, capacity: full },
    funnel: [...funnel, { rule: "capacity", text, remaining: left.length }],
  };
}
