import type { Result } from "../../cluster/queue/work-queue.ts";
import { messageOf } from "../../errors.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";

type Reconcile = (context: CompositionContext, composition: Composition) => Promise<Result>;

/**
 * Reconciles with the objects of the release of which only the names are kept. If they cannot be read, the run is followed and ended without them: what
 * needs them reads them again, and fails then.
 */
export async function withLoaded(
  context: CompositionContext,
  composition: Composition,
  reconcile: Reconcile,
): Promise<Result> {
  const { key } = composition;
  try {
    await context.managed.load(key).catch((thrown: unknown) => {
      context.log.debug({ key, error: messageOf(thrown) }, "objects of a release could not be read");
    });
    return await reconcile(context, composition);
  } finally {
    context.managed.unload(key);
  }
}
