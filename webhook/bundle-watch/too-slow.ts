import type { Rollout } from "../../src/bundle/read-settings.ts";
import { LandfallError } from "../../src/errors.ts";
import type { BundleIdentity, TrialInput } from "../decisions/messages.ts";

interface Changed {
  ref: string;
  /** Null for the platform's own. */
  name: string | null;
}

/**
 * BUNDLE_SLOW if a decision takes too long, naming the bundle that costs the time: the new one, unless it is a team's rules that
 * take too long without it, or that are too slow for the platform's new bundle. Null if it is fast enough. Pure.
 */
export function tooSlow(
  { smoke, others }: Pick<BundleIdentity, "smoke" | "others">,
  { platformMs, teamsMs }: TrialInput["times"],
  { name, ref }: Changed,
  { decisionMs: limit }: Rollout["limits"],
): LandfallError | null {
  if (smoke.medianMs <= limit) return null;
  const [slowest] = Object.entries(teamsMs).sort(([, a], [, b]) => b - a);
  const isTeam = platformMs <= limit && slowest !== undefined && (name === null || slowest[1] > limit);
  const team = isTeam ? others.find((other) => other.name === slowest[0]) : undefined;
  return new LandfallError("BUNDLE_SLOW", { ref: team?.ref ?? ref, actual: smoke.medianMs, limit });
}
