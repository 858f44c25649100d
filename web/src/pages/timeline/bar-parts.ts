import type { Row } from "../../../../src/console/contract/rows.ts";
import { endOf, isShown, type TimeScale, xOf } from "./time-scale.ts";

/** A piece of an object's bar, in pixels. `past`: the machine was on; otherwise it is planned. */
export interface Piece {
  x: number;
  width: number;
  past: boolean;
}

export interface BarParts {
  pieces: Piece[];
  /** From the first to the last piece: the pauses show as this thin line. */
  line: { x: number; width: number } | null;
  /** Positions of the marks; null outside of the shown hours, or if there is none. */
  deadline: number | null;
  latestStart: number | null;
  /** It continues beyond the shown hours. */
  isOpen: boolean;
  /** It starts after the shown hours. */
  isLater: boolean;
}

type Times = Pick<Row, "startsAt" | "endsAt" | "parts" | "deadline" | "latestStart" | "state" | "since">;

const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text));

/** When the machine is on: one part, or those between the pauses. A run that is over ends when it did; a kept machine continues. */
function onTimes({ startsAt, endsAt, parts, state, since }: Times): { from: number; to: number }[] {
  const over = (state === "ended" ? timeOf(since) : null) ?? Number.POSITIVE_INFINITY;
  const end = state === "overdue" ? null : endsAt;
  const whole = startsAt === null ? [] : [{ start: startsAt, end }];
  const planned = parts.length > 0 ? [...parts, ...(state === "overdue" ? [{ start: endsAt ?? "", end }] : [])] : whole;
  return planned.flatMap((part) => {
    const [from, to] = [Date.parse(part.start), Math.min(over, timeOf(part.end) ?? Number.POSITIVE_INFINITY)];
    return to > from ? [{ from, to }] : [];
  });
}

function pieceOf(scale: TimeScale, from: number, to: number, past: boolean): Piece[] {
  if (to <= from || to < scale.from || from > endOf(scale)) return [];
  const x = xOf(scale, from);
  // A short run stays visible.
  return [{ x, width: Math.max(2, xOf(scale, to) - x), past }];
}

/** The picture of an object at a time: what was, what is planned, its pauses and limits. Pure. */
export function barParts(scale: TimeScale, row: Times, now: number): BarParts {
  const on = onTimes(row);
  // A waiting object has not begun, whatever its plan says.
  const until = row.state === "waiting" ? Number.NEGATIVE_INFINITY : now;
  const pieces = on.flatMap(({ from, to }) => [
    ...pieceOf(scale, from, Math.min(to, until), true),
    ...pieceOf(scale, Math.max(from, until), to, false),
  ]);
  const markOf = (text: string | null): number | null => {
    const time = timeOf(text);
    return time === null || !isShown(scale, time) ? null : xOf(scale, time);
  };
  // Before all times, for an object without a start.
  const [first, last] = [on[0]?.from ?? Number.NEGATIVE_INFINITY, on.at(-1)?.to ?? Number.NEGATIVE_INFINITY];
  const line = on.length < 2 ? null : { x: xOf(scale, first), width: xOf(scale, last) - xOf(scale, first) };
  const end = endOf(scale);
  return {
    ...{ pieces, line, deadline: markOf(row.deadline), latestStart: markOf(row.latestStart) },
    isOpen: first <= end && last > end,
    isLater: first > end,
  };
}
