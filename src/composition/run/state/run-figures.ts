import { readPlacement } from "../../../model/decision-annotation/compact-decision.ts";
import type { Trusted } from "../../../model/decision-annotation/trusted.ts";
import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { Resource } from "../../types.ts";
import { metered } from "./run-account.ts";

const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** The price and the CO2e of the whole run, as it is decided by now. */
export function figuresOf(object: Trusted<Resource>): Pick<RunRecord, "pricePerHour" | "gramsCO2"> {
  const { pricePerHour, gramsCO2 } = readPlacement(object);
  return { pricePerHour: numberOf(pricePerHour), gramsCO2: numberOf(gramsCO2) };
}

/** The record with the price and the CO2e of the present decision: another size has others, from now on and for the whole run. */
export function withFigures(record: RunRecord, object: Trusted<Resource>, now: number): RunRecord {
  if (record.end !== null || readPlacement(object)["pricePerHour"] === undefined) return record;
  const { pricePerHour, gramsCO2 } = figuresOf(object);
  const isSame = pricePerHour === record.pricePerHour;
  const priced = isSame ? record : metered(record, now, { pricePerHour });
  // Another size may stop and start its machine.
  const asked = isSame || !record.wasReady || record.kind !== "VmTemplate" ? {} : { asked: { on: true, at: now } };
  return { ...priced, ...asked, gramsCO2 };
}
