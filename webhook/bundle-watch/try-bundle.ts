import type { Rollout } from "../../src/bundle/read-settings.ts";
import { LandfallError } from "../../src/errors.ts";
import type { BundleIdentity } from "../decisions/messages.ts";
import type { DecisionThread } from "../decisions/start-thread.ts";
import { selfTest } from "./self-test.ts";
import { askCanaries, type Canaries } from "./ask-canaries.ts";

export interface Trial {
  thread: DecisionThread;
  /** The active thread, to compare with; null if there is none. */
  active: DecisionThread | null;
  ref: string;
  limits: Rollout["limits"];
  canary: Rollout["canary"];
  canaries: Canaries;
  /** Namespaces that the self-test asks in. */
  suspects: readonly string[];
}

/** A thread that ends while it loads reports a request's error; here the bundle is the cause. */
function asBundleError(thrown: unknown, ref: string): unknown {
  if (!(thrown instanceof LandfallError) || !thrown.code.startsWith("ADM_")) return thrown;
  if (thrown.code === "ADM_RESTARTING") return thrown;
  const limit = thrown.params["limit"] ?? "any";
  return new LandfallError("BUNDLE_LOOPS", { ref, limit, detail: thrown.message }, thrown);
}

/**
 * Waits until the bundle in this thread has loaded and has passed its smoke tests, then checks its limits and tries it on
 * live objects. Throws BUNDLE_… if it must not be used.
 */
export async function tryBundle(trial: Trial): Promise<BundleIdentity> {
  const { thread, active, ref, limits, canary, canaries, suspects } = trial;
  let bundle: BundleIdentity;
  try {
    bundle = await thread.ready;
    await selfTest(thread, suspects);
  } catch (thrown) {
    throw asBundleError(thrown, ref);
  }
  const { medianMs } = bundle.smoke;
  if (medianMs > limits.decisionMs)
    throw new LandfallError("BUNDLE_SLOW", { ref, actual: medianMs, limit: limits.decisionMs });
  if (active === null || canary.share >= 1) return bundle;
  const { asked, denied } = await askCanaries(active, thread, await canaries(canary.objects)).catch(
    (thrown: unknown) => {
      throw asBundleError(thrown, ref);
    },
  );
  if (denied.length <= canary.share * asked) return bundle;
  throw new LandfallError("BUNDLE_CANARY", { ref, denied: denied.length, asked, example: denied[0] ?? "" });
}
