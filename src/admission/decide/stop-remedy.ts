import type { Denial } from "../../model/decision.ts";
import { pauseWayOf } from "../../model/runs/pause-rules.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The correction after which nothing has to stop the run, at a provider that cannot. */
function withoutStop(spec: Fields, field: string | null): string {
  const isPausing = spec["interruptible"] !== undefined && pauseWayOf(spec) === "stop";
  const recreate = "interruptible.by: recreate, which deletes the machine in each pause";
  if (field !== "spec.whenDone") return `write ${recreate}, or omit interruptible`;
  return isPausing
    ? `write whenDone: delete or keep, and with it ${recreate}, or no interruptible`
    : "write whenDone: delete or keep";
}

const BY = "spec.interruptible.by";

/** Denials of runs that their provider or their capacity cannot stop, with the changes that pass alone: of several faults, none fixes only one. */
export function stopRemedies(spec: Fields, denials: readonly Denial[]): Denial[] {
  // How a run pauses is another fault than that it is stopped.
  const stops = denials.filter(({ code, field }) => /^POL_(?:RUN|SPOT)_STOP$/.test(code) && field !== BY);
  const isBoth = new Set(stops.map(({ code }) => code)).size > 1;
  const omitted = spec["interruptible"] === undefined ? "" : ", and omit interruptible";
  return denials.map((one) => {
    if (!stops.includes(one)) return one;
    if (isBoth) return { ...one, remedy: `write whenDone: delete or keep${omitted}` };
    if (one.code === "POL_SPOT_STOP") return one;
    return { ...one, remedy: `omit provider, name one that can, or ${withoutStop(spec, one.field)}` };
  });
}
