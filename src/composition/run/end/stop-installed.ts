import { trusted } from "../../../model/decision-annotation/trusted.ts";
import { isObject } from "../../../model/json.ts";
import type { Composition, CompositionContext } from "../../context/composition-context.ts";
import { valuesIn } from "../../helm/stored-release.ts";
import { LABEL } from "../../keys.ts";
import { claimOf, ownerIn } from "../../record/release-owner.ts";
import { ensureRelease } from "../../release/ensure-release.ts";
import type { RunValues } from "../../release/build-values.ts";
import type { EnsureInput } from "../../release/wanted-release.ts";
import type { ServedChart } from "../../types.ts";
import { stopDirectly } from "./stop-directly.ts";

/** The spec of the deployed revision, and the values about a run that its chart got; null if nothing of this object is deployed. */
async function installedOf(
  { records }: Pick<CompositionContext, "records">,
  { object }: Composition,
): Promise<{ spec: Record<string, unknown>; global: Record<string, unknown> } | null> {
  const { namespace = "", labels = {} } = object.metadata;
  const { revisions = [] } = (await records.read(namespace, labels[LABEL.releaseName] ?? "")) ?? {};
  const deployed = revisions.find(({ status }) => status === "deployed");
  if (deployed === undefined) return null;
  const { global, ...spec } = valuesIn(deployed.release);
  if (claimOf(ownerIn({ global }), object) === "foreign") return null;
  return { spec, global: isObject(global) ? global : {} };
}

/**
 * Stops the machine of a run that is over, as it is installed: what admission did not accept, what was signed with a lost key, and what
 * cannot be installed change nothing else of it. Only Landfall's own record says what is installed. Returns whether it was done.
 */
export async function stopInstalled(
  context: CompositionContext,
  composition: Composition,
  served: ServedChart,
  powerState: "off" | "deleted" = "off",
): Promise<boolean> {
  const installed = await installedOf(context, composition);
  if (installed === null) return false;
  const { spec, global } = installed;
  const report = isObject(global["report"]) ? { report: global["report"] as RunValues["report"] & object } : {};
  const given = { ...composition, object: trusted(context.keys, { ...composition.object, spec }) };
  const input: EnsureInput = {
    ...{ context, composition: given, served },
    runValues: { powerState, ...report },
    asInstalled: true,
  };
  try {
    return "release" in (await ensureRelease(input));
  } catch (thrown) {
    // Something else of the release, which its owner may have written, keeps helm from upgrading it.
    if (!(await stopDirectly(input))) throw thrown;
    context.log.warn({ composition: composition.key, err: thrown }, "a machine was stopped without helm");
    return true;
  }
}
