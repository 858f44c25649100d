import type { CompositionContext } from "../../../src/composition/context/composition-context.ts";
import type { SeenMachine } from "../../../src/composition/run/machine/machine-now.ts";
import { liveResources } from "../../../src/composition/run/machine/run-sign.ts";
import type { ConditionInput } from "../../../src/composition/types.ts";

/** What a controller sees of the machine of the object with this uid. */
export const seenOf = (
  context: CompositionContext,
  ready: ConditionInput,
  { uid = "u", hasMachine = false }: { uid?: string; hasMachine?: boolean } = {},
): SeenMachine => ({ ready, hasMachine, live: liveResources(context, uid) });
