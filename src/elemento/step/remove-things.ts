import type { Attempts } from "../types.ts";
import type { Step, Thing } from "./step.ts";
import { info, wait } from "./step.ts";

export interface Removal {
  readonly retain: boolean;
  readonly attempts: Attempts;
  /** The existing resources in the order of deletion. `going`: Elemento is deleting it already. */
  readonly stages: readonly (readonly (Thing & { readonly going: boolean })[])[];
}

/** The next step of a deletion: the object can go when no list shows a resource and none may still appear. */
export function removeThings({ retain, attempts, stages }: Removal): Step {
  if (retain) return { do: "release" };
  const stage = stages.find((things) => things.length > 0);
  if (stage === undefined) {
    if (Object.keys(attempts).length === 0) return { do: "release" };
    return wait(info("Deleting", "waits until it is certain that nothing remains"));
  }
  const things = stage.filter(({ going }) => !going).map(({ what, id }): Thing => ({ what, id }));
  const say = info("Deleting", `${stage.map(({ what }) => what).join(", ")} on the way out`);
  return things.length === 0 ? wait(say) : { do: "remove", things, say };
}
