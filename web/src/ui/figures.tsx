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

const TIMES = /(\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?Z)/;

/** A message of Landfall's, with the times in it as everywhere on the page. */
export const Message = ({ text }: { text: string }): ReactElement => (
  <>
    {text.split(TIMES).map((part, index) => {
      const key = `${String(index)} ${part}`;
      return TIMES.test(part) ? <Time key={key} at={part} /> : part;
    })}
  </>
);

/** A number of a column whose header has the unit. */
export const Figure = ({ value }: { value: number | null }): ReactElement =>
  value === null ? <span className="quiet">{UNKNOWN}</span> : <span>{digits(value)}</span>;

/** Whole milliseconds, as latencies are measured. An estimate looks like one. */
export function Latency({ ms, estimate }: { ms: number | null; estimate: boolean }): ReactElement {
  if (ms === null) return <span className="quiet">{UNKNOWN}</span>;
  return estimate ? (
    <span className="estimate" title="estimated from the distance">
      {Math.round(ms)}
    </span>
  ) : (
    <span>{Math.round(ms)}</span>
  );
}

/** Grams of a column whose header has the unit; of an object without an end they are those of an hour. */
export const Grams = ({ grams, end }: { grams: number | null; end: string | null }): ReactElement => (
  <>
    <Figure value={grams} />
    <span className="quiet per">{grams !== null && end === null ? "/h" : ""}</span>
  </>
);

/** `provider/region`. */
export function Place({ place }: { place: string | null }): ReactElement {
  return place === null ? <span className="quiet">{UNKNOWN}</span> : <span className="nowrap">{place}</span>;
}
