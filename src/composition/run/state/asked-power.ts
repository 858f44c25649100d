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

/**
 * The power state that another run which begins at `now` asks for: on, where its machine is off, or where the last run ended minutes before. Its machine has
 * perhaps shut itself down with that, unseen by its operator: that is not the end of this run.
 */
export function askedAtBegin({ end }: Pick<RunRecord, "end">, isOff: boolean, now: number): Pick<RunRecord, "asked"> {
  if (isOff) return { asked: { on: true, at: 0 } };
  return end !== null && now - end.at < SETTLED_SECONDS ? { asked: { on: true, at: now } } : {};
}

/** Whether a machine that is off may be so because a pause asked for it: the run is not over by that. */
export const mayBeStopped = ({ asked }: RunRecord, now: number): boolean =>
  asked !== undefined && (!asked.on || now - asked.at < SETTLED_SECONDS);
