import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { RunStep } from "./next-run-step.ts";

/** Seconds in which a stop that was asked for before may still be carried out: operators restart, and providers take minutes. */
const SETTLED_SECONDS = 600;

/**
 * The record with what the run asks of its machine around a pause: off during it, and on after it, until the machine was on for ten minutes. While
 * its user pauses the object (`isHeld`), what is installed asks for what it asked before. Pure.
 */
export function withAsked(
  record: RunRecord,
  { do: action }: Pick<RunStep, "do">,
  { isHeld, now }: { isHeld: boolean; now: number },
): RunRecord {
  const { asked, ...kept } = record;
  if (isHeld) return record;
  if (action === "pause") return asked?.on === false ? record : { ...record, asked: { on: false, at: now } };
  if (asked === undefined) return record;
  // An end asks for what it needs itself.
  if (action !== "run") return kept;
  if (!asked.on) return { ...record, asked: { on: true, at: now } };
  return record.wasReady && now - asked.at >= SETTLED_SECONDS ? kept : record;
}

/** Whether a machine that is off may be so because a pause asked for it: the run is not over by that. */
export const mayBeStopped = ({ asked }: RunRecord, now: number): boolean =>
  asked !== undefined && (!asked.on || now - asked.at < SETTLED_SECONDS);
