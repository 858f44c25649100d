import type { Rollout } from "../../src/bundle/read-settings.ts";
import type { Member } from "../../src/bundle/follow/follow-bundles.ts";
import { LandfallError, messageOf } from "../../src/errors.ts";
import type { BundleIdentity } from "../decisions/messages.ts";
import type { DecisionProcess } from "../decisions/start-process.ts";
import { selfTest } from "./self-test.ts";
import type { OwnerOf } from "../../src/external-data/sample-fairly.ts";
import { askCanaries, type Canaries, type Questions } from "./ask-canaries.ts";
import { judgeCanaries } from "./judge-canaries.ts";
import { tooSlow } from "./too-slow.ts";

export interface Trial {
  decider: DecisionProcess;
  /** The active process, to compare with; null if there is none. */
  active: DecisionProcess | null;
  /** The bundle that is new. */
  changed: Pick<Member, "ref" | "name">;
  limits: Rollout["limits"];
  canary: Rollout["canary"];
  canaries: Canaries;
  ownerOf: OwnerOf;
  /** The owners about whose objects nothing is asked. */
  omitted: ReadonlySet<string>;
  /** Reviews that were denied lately. */
  refused: readonly string[];
  /** The bundle that is replaced: digests of its tarball and its image. */
  replaces: readonly string[];
  /** Namespaces that the self-test asks in. */
  suspects: readonly string[];
  /** Whether the same set decided before, with less data of the cluster. */
  decidedBefore: boolean;
}

/** A process that ends while it loads reports a request's error; here the bundle is the cause. */
function asBundleError(thrown: unknown, ref: string): unknown {
  if (!(thrown instanceof LandfallError)) return thrown;
  if (!thrown.code.startsWith("ADM_") && thrown.code !== "POL_TEAM") return thrown;
  if (thrown.code === "ADM_RESTARTING") return thrown;
  const limit = thrown.params["limit"] ?? "any";
  return new LandfallError("BUNDLE_LOOPS", { ref, limit, detail: thrown.message }, thrown);
}

/**
 * A set that decided before is not what has changed. If it cannot start now, little memory, much data of the cluster or a busy
 * machine can be why, and if it has no memory left for the self-test, the data can be why, too: that is ADM_RESTARTING.
 */
function asStartError(thrown: unknown, { decider, changed, decidedBefore }: Trial, isLoaded: boolean): unknown {
  const error = asBundleError(thrown, changed.ref);
  if (!decidedBefore || !(thrown instanceof LandfallError)) return error;
  const isBlameless =
    (thrown.code === "ADM_INTERNAL" && (!isLoaded || decider.wantedMemory())) ||
    (thrown.code === "ADM_TIMEOUT" && !isLoaded);
  return isBlameless ? new LandfallError("ADM_RESTARTING", {}, thrown) : error;
}

/**
 * Throws BUNDLE_CANARY or BUNDLE_LOOSER if the bundle changes too many decisions, and its settings did not announce it; BUNDLE_UNCOMPARED if
 * there is no sample of live objects.
 */
async function compare({ decider, active, ...trial }: Trial, { digest }: BundleIdentity): Promise<void> {
  const { canary, canaries, ownerOf, omitted, refused, replaces } = trial;
  const { ref } = trial.changed;
  if (active === null || canary.share >= 1) return;
  const { announced } = decider.trial();
  const objects = await canaries(canary.objects, digest, ownerOf).catch((thrown: unknown) => {
    throw new LandfallError("BUNDLE_UNCOMPARED", { ref, detail: messageOf(thrown) }, thrown);
  });
  const questions: Questions = { objects, refused, smoke: active.trial().denies, ownerOf, omitted };
  const report = await askCanaries(active, decider, questions).catch((thrown: unknown) => {
    throw asBundleError(thrown, ref);
  });
  const known = announced.find((entry) => replaces.includes(entry.replaces)) ?? null;
  const refusal = judgeCanaries(report, { ref, canary, announced: known });
  if (refusal !== null) throw refusal;
}

/**
 * Waits until the bundle in this process has loaded and has passed its smoke tests, then checks its limits and tries it on
 * live objects. Throws BUNDLE_… if it must not be used.
 */
export async function tryBundle(trial: Trial): Promise<BundleIdentity> {
  const { decider, changed, limits, suspects } = trial;
  let bundle: BundleIdentity | null = null;
  try {
    bundle = await decider.ready;
    await selfTest(decider, suspects);
  } catch (thrown) {
    throw asStartError(thrown, trial, bundle !== null);
  }
  const slow = tooSlow(bundle, decider.trial().times, changed, limits);
  if (slow !== null) throw slow;
  await compare(trial, bundle);
  return bundle;
}
