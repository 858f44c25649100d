import { readPlacement } from "../../../model/decision-annotation/compact-decision.ts";
import { isInstalled } from "../../../model/decision-annotation/pause.ts";
import type { Trusted } from "../../../model/decision-annotation/trusted.ts";
import { isObject } from "../../../model/json.ts";
import { readTime } from "../../../model/time.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { StoredRelease } from "../../helm/stored-release.ts";
import { revisionsOf } from "../machine/machines-of.ts";
import type { Resource } from "../../types.ts";

/** When helm first installed the release of a revision, in seconds since 1970; null if it does not say it. */
const firstDeployed = ({ info }: StoredRelease): number | null =>
  isObject(info) ? readTime(info["first_deployed"]) : null;

/**
 * Since when what is installed for an object runs, in seconds since 1970; null if nothing is, or no start was decided. It was perhaps installed later than
 * that start, because its user or an error held it back. Only Landfall's own record says so: its user can write the annotation `landfall.dev/started`.
 */
export async function installedSince(
  context: Pick<CompositionContext, "records">,
  object: Trusted<Resource>,
  now: number,
): Promise<number | null> {
  const start = isInstalled(object) ? readTime(readPlacement(object)["start"]) : null;
  if (start === null) return null;
  const { namespace = "", uid = "" } = object.metadata;
  const revisions = await revisionsOf(context, { namespace, uid });
  const times = revisions.map(({ release }) => firstDeployed(release)).filter((time) => time !== null);
  return times.length === 0 ? start : Math.max(start, Math.min(now, ...times));
}
