import type { ReactElement } from "react";
import { useNow } from "./clock.ts";
import { digits, relativeText, timeText, UNKNOWN } from "./format.ts";

/** A time in the viewer's zone; UTC on hover and for other programs. */
export function Time({ at, relative = false }: { at: string | null; relative?: boolean }): ReactElement {
  const now = useNow();
  if (at === null || Number.isNaN(Date.parse(at))) return <span className="quiet">{UNKNOWN}</span>;
  const time = new Date(at);
  const text = timeText(time, now);
  return (
    <time dateTime={at} title={`${at.replace("T", " ").replace("Z", "")} UTC`} className="nowrap">
      {relative ? `${text} (${relativeText(time, now)})` : text}
    </time>
  );
}

/** A number of a column whose header has the unit. An estimate looks like one. */
export function Figure({ value, estimate = false }: { value: number | null; estimate?: boolean }): ReactElement {
  if (value === null) return <span className="quiet">{UNKNOWN}</span>;
  return estimate ? (
    <span className="estimate" title="estimated from the distance">
      {digits(value)}
    </span>
  ) : (
    <span>{digits(value)}</span>
  );
}

/** `provider/region`. */
export function Place({ place }: { place: string | null }): ReactElement {
  return place === null ? <span className="quiet">{UNKNOWN}</span> : <span className="nowrap">{place}</span>;
}
