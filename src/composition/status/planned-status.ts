import { readDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { Resource } from "../types.ts";

/** What its decision says of the run, as texts for the columns of `kubectl get`. */
export interface PlannedStatus {
  planned?: { ends: string; pricePerHour: string; gramsCO2: string };
}

/** Two digits that count, and none after the point from 10 on. */
const short = (value: number): string => (value >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2))));

/** Empty for an object without a decision. `-`: never, or unknown. */
export function plannedStatus(composition: Resource): PlannedStatus {
  const placement = readDecision(composition)?.placement;
  if (placement === undefined) return {};
  const { end, pricePerHour, gramsCO2 } = placement;
  return {
    planned: {
      ends: end ?? "-",
      pricePerHour: pricePerHour === null ? "-" : pricePerHour.toFixed(4),
      gramsCO2: gramsCO2 === null ? "-" : `${short(gramsCO2)}${end === null ? "/h" : ""}`,
    },
  };
}
