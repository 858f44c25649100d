import { parseTime } from "../../model/time.ts";
import type { Row } from "../contract/rows.ts";

/** Whether an object is there at a time. One that is ending or overdue still is. Pure. */
export function runsAt({ state, startsAt, endsAt }: Row, atSeconds: number): boolean {
  if (state === "ended") return false;
  const [from, to] = [startsAt, state === "overdue" ? null : endsAt].map((time) =>
    time === null ? null : parseTime(time),
  );
  return (from ?? 0) <= atSeconds && (to ?? Number.POSITIVE_INFINITY) > atSeconds;
}
