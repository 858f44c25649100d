import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";

/** The resources of the release of the object with this uid, as they are known now. */
export const liveResources = ({ releases, managed }: CompositionContext, uid: string): Resource[] =>
  (releases.get(uid)?.objects ?? []).map((object) => managed.get(object) ?? null).filter((live) => live !== null);
