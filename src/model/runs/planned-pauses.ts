/** A time between two parts of a run, in which its machine is off. RFC 3339. */
export interface Pause {
  from: string;
  to: string;
}

/** The pauses between the parts of a run. Pure. */
export const pausesOf = (parts: readonly { start: string; end: string }[]): Pause[] =>
  parts.slice(1).map(({ start }, at) => ({ from: parts[at]?.end ?? start, to: start }));
