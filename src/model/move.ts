import type { PlaceKey } from "./workload.ts";

/** Where and when, as a move tells it. */
export interface PlaceAndStart {
  place: PlaceKey;
  /** RFC 3339, UTC. */
  start: string;
}

/** A decision that took the place of an earlier one before the start. Kept in the decision, so that nobody can edit it. */
export interface Move {
  /** RFC 3339, UTC. */
  at: string;
  from: PlaceAndStart;
  to: PlaceAndStart;
  /** Share of the carbon that it saves, as forecast at the time; negative where it costs more, null where unknown. */
  gain: number | null;
  /** `forecast`, the codes of the rules that the earlier place breaks by now, or the reason of its user to start at once. */
  why: string;
}
