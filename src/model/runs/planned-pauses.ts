/** A time between two parts of a run, in which its machine is off. */
export interface Pause<Time = string> {
  from: Time;
  to: Time;
}

/** The pauses between the parts of a run. Pure. */
export const pausesOf = <Time>(parts: readonly { start: Time; end: Time }[]): Pause<Time>[] =>
  parts.slice(1).map(({ start }, at) => ({ from: parts[at]?.end ?? start, to: start }));
