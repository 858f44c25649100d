import { readDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { Resource } from "../types.ts";

/** The decision's figures of the run, as texts for the columns of `kubectl get`. */
export interface PlannedStatus {
  planned?: { starts: string; ends: string; pricePerHour: string; gramsCO2: string };
}

/** The times of a run that has begun, as its status has them: another run of the same object begins without a new decision. */
export interface RunTimesStatus {
  startsAt?: unknown;
  endsAt?: unknown;
}

/** A time in RFC 3339 is shorter. */
const MOST_CHARACTERS = 40;

/** Two digits that count, and none after the point from 10 on. */
const short = (value: number): string => (value >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2))));

/** A decision is not verified here, and its owner can write anything into it. */
const figureOf = (value: unknown, text: (figure: number) => string): string =>
  typeof value === "number" && Number.isFinite(value) ? text(value) : "-";

const timeOf = (value: unknown): string => (typeof value === "string" ? value.slice(0, MOST_CHARACTERS) : "-");

/** Empty for an object without a decision. `-`: never, or unknown. */
export function plannedStatus(composition: Resource, run: RunTimesStatus = {}): PlannedStatus {
  const placement = readDecision(composition)?.placement;
  if (placement === undefined) return {};
  const { start, end, pricePerHour, gramsCO2 }: Record<"start" | "end" | "pricePerHour" | "gramsCO2", unknown> =
    placement;
  return {
    planned: {
      starts: timeOf(run.startsAt ?? start),
      ends: timeOf(run.endsAt ?? end),
      pricePerHour: figureOf(pricePerHour, (price) => price.toFixed(4)),
      gramsCO2: figureOf(gramsCO2, (grams) => `${short(grams)}${typeof end === "string" ? "" : "/h"}`),
    },
  };
}
