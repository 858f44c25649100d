import type { Rollout } from "../../src/bundle/read-settings.ts";
import { LandfallError } from "../../src/errors.ts";
import type { BundleIdentity } from "../decisions/messages.ts";
import type { DecisionThread } from "../decisions/start-thread.ts";
import { askCanaries, type Canaries } from "./ask-canaries.ts";

export interface Trial {
  thread: DecisionThread;
  /** The thread that answers now; null where there is none to compare with. */
  active: DecisionThread | null;
  ref: string;
  limits: Rollout["limits"];
  canary: Rollout["canary"];
  canaries: Canaries;
}

/** A thread that ends while it loads says so in the words of a request; here the bundle is what is wrong. */
function asBundleError(thrown: unknown, ref: string): unknown {
  if (!(thrown instanceof LandfallError) || !thrown.code.startsWith("ADM_")) return thrown;
  const limit = thrown.params["limit"] ?? "any";
  return new LandfallError("BUNDLE_LOOPS", { ref, limit, detail: thrown.message }, thrown);
}

/**
 * Waits until the bundle in this thread has loaded and has answered its smoke inputs, then holds it against limits and live
 * objects. Throws what is wrong with it: BUNDLE_… .
 */
export async function tryBundle(trial: Trial): Promise<BundleIdentity> {
  const { thread, active, ref, limits, canary, canaries } = trial;
  let bundle: BundleIdentity;
  try {
    bundle = await thread.ready;
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
