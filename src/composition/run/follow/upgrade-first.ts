import type { Composition, CompositionContext } from "../../context/composition-context.ts";
import { findRelease } from "../../release/find-release.ts";
import { retainsIn } from "../../record/release-owner.ts";
import { installedValues } from "../../retain/installed-values.ts";
import type { RunStep } from "../state/next-run-step.ts";

/** Seconds after which an upgrade before a deletion is looked at again. */
const LOOK_AGAIN_SECONDS = 5;

/** Whether the operator would leave the machine at the provider if the release were uninstalled as it is. */
async function isRetained(context: CompositionContext, composition: Composition): Promise<boolean> {
  const { namespace = "" } = composition.object.metadata;
  await context.clientIn(namespace);
  const { own } = await findRelease(context, composition);
  return own !== null && (await installedValues(context, namespace, own)).some(retainsIn);
}

/**
 * The next step, once it is known what is installed: operators do with a resource what the installed revision says, not what
 * the object says by now. If that is to retain it, the release is upgraded before it is deleted.
 */
export async function upgradeFirst(
  context: CompositionContext,
  composition: Composition,
  step: RunStep,
  now: number,
): Promise<RunStep> {
  if (step.do !== "remove" || !(await isRetained(context, composition))) return step;
  return { ...step, do: "upgrade", lookAt: now + LOOK_AGAIN_SECONDS };
}
