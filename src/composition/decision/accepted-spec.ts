import type { VerifiedDecision } from "../../model/decision-annotation/signature.ts";
import { specDigest, specStanding } from "../../model/decision-annotation/still-holds.ts";
import { parseTime } from "../../model/time.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import { valuesIn } from "../helm/stored-release.ts";
import { LABEL } from "../keys.ts";
import type { Resource } from "../types.ts";

/** When the object or its decision was made, in seconds since 1970. */
const madeAt = ({ signature }: VerifiedDecision, { metadata }: Resource): number =>
  signature.use === "legacy" ? (parseTime(metadata.creationTimestamp ?? "") ?? Infinity) : signature.at;

/**
 * Whether a spec that no signature covers is the one that is installed. If nothing is, it counts where the decision is older than the
 * first controller of this version.
 */
async function isFromBefore(
  context: CompositionContext,
  object: Resource,
  verified: VerifiedDecision,
): Promise<boolean> {
  const { namespace = "", labels = {} } = object.metadata;
  const record = await context.records.read(namespace, labels[LABEL.releaseName] ?? "");
  const [newest] = record?.revisions ?? [];
  if (newest !== undefined) return specDigest(valuesIn(newest.release)) === specDigest(object.spec);
  return madeAt(verified, object) <= (await context.bindings.legacyUntil());
}

/** Why the object's spec does not count: admission did not accept it. Null if it did. */
export async function unacceptedSpec(
  context: CompositionContext,
  object: Resource,
  verified: VerifiedDecision,
): Promise<string | null> {
  const standing = specStanding(verified, object);
  if (standing === "changed") return "its spec changed after admission accepted it, while no webhook was called";
  if (standing === "accepted" || (await isFromBefore(context, object, verified))) return null;
  return "the signature of its decision is of an earlier form that does not cover the spec, and this spec is not installed";
}
