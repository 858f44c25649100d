import { describe, LandfallError } from "../../errors.ts";
import { during } from "../../cluster/tracing/during.ts";
import { assertUpgradable } from "./recorded/assert-upgradable.ts";
import { isNews } from "./awaited-marks.ts";
import { callHelm } from "./call-helm.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Action } from "./choose-action.ts";
import { chooseAction } from "./choose-action.ts";
import { currentRelease, recordedRevisions, unsettled } from "./current-release.ts";
import { afterUpgrade, isTriedLately } from "../managed/drift-history.ts";
import { isGracefullyPaused } from "../keys.ts";
import { asFailed, type RecordedRevision } from "../record/release-record.ts";
import { recordDropped } from "./record-dropped.ts";
import { pruneLeftovers } from "./prune-leftovers.ts";
import { observeAwaited, observeDrift, observeLost } from "./observe-release.ts";
import type { Release } from "../managed/release.ts";
import { readRelease } from "./read-release.ts";
import { type EnsureInput, type Wanted, wantedRelease } from "./wanted-release.ts";

/** Ms until an object is reconciled again whose names another one's helm is at work on. */
const SHARED_MS = 500;

export type Ensured = { release: Release } | { waitMs: number };

/** The drift that an upgrade may correct: null for none, and for drift that came back after recent upgrades. */
function driftToCorrect(wanted: Wanted, release: Release, drift: string | null): string | null {
  if (drift === null || isGracefullyPaused(wanted.composition.object)) return null;
  if (!isTriedLately(release.drifts, drift, wanted.context.nowSeconds())) return drift;
  const message = `${describe("REL_DRIFT", { detail: drift }).message} [REL_DRIFT]`;
  wanted.context.record(wanted.composition.object, { type: "Warning", reason: "Drift", message });
  return null;
}

interface Observed {
  revisions: RecordedRevision[];
  release: Release | null;
  action: Action;
  awaited: string | null;
  drift: string | null;
}

const observe = (wanted: Wanted): Promise<Observed> => during("observe", () => observeNow(wanted));

async function observeNow(wanted: Wanted): Promise<Observed> {
  const { context, composition, inputs } = wanted;
  const revisions = await recordedRevisions(wanted);
  const release = await currentRelease(wanted, revisions);
  const awaited = release && (await observeAwaited(context, composition, release));
  const drift = release && driftToCorrect(wanted, release, await observeDrift(context, release));
  const action = chooseAction({ revisions, inputs, awaited, drift, nowSeconds: context.nowSeconds() });
  return { revisions, release, action, awaited, drift };
}

/** Whether a value is available that the release waits for and was rendered without: an upgrade changes its resources next. */
export async function isUpgradeDue(
  { context, composition }: { context: CompositionContext; composition: Composition },
  release: Release,
): Promise<boolean> {
  if (isGracefullyPaused(composition.object)) return false;
  const awaited = await observeAwaited(context, composition, release);
  return awaited !== null && isNews(awaited, release.awaited);
}

/** True if nothing can have changed since the release was last checked. */
async function isSettled(wanted: Wanted, known: Release | undefined): Promise<boolean> {
  const { context, inputs } = wanted;
  if (known?.inputs !== inputs) return false;
  if (context.nowSeconds() - known.checkedAt >= context.resyncSeconds) return false;
  if (isGracefullyPaused(wanted.composition.object)) return true;
  if (await isUpgradeDue(wanted, known)) return false;
  if ((await observeLost(context, known)) !== null) return false;
  return driftToCorrect(wanted, known, await observeDrift(context, known)) === null;
}

async function afterHelm(wanted: Wanted, drifts: Release["drifts"]): Promise<Release> {
  const { context, composition } = wanted;
  const { revisions = [] } = (await context.records.read(wanted.namespace, wanted.name)) ?? {};
  const [last] = revisions;
  if (last?.status !== "deployed") {
    const detail = `helm succeeded, but the release is ${last?.status ?? "not there"}`;
    throw new LandfallError("REL_HELM", { action: "install", release: wanted.name, detail });
  }
  await pruneLeftovers(wanted, revisions);
  const release = { ...(await readRelease(context, composition, last)), drifts };
  context.releases.set(wanted.uid, release);
  return release;
}

async function upgrade(
  wanted: Wanted,
  { awaited, drift, release, revisions }: Observed,
  reason: string,
): Promise<Ensured> {
  const { context, composition, name } = wanted;
  if (context.lanes.leaveToHelm(composition)) return { waitMs: 0 };
  await assertUpgradable(wanted, revisions);
  await recordDropped(wanted, revisions);
  const known = context.releases.get(wanted.uid);
  if (known) context.releases.set(wanted.uid, unsettled(known));
  if (!(await callHelm(wanted, "upgrade", awaited))) return { waitMs: SHARED_MS };
  context.record(composition.object, { type: "Normal", reason: "Upgraded", message: `release ${name}: ${reason}` });
  const corrected = reason === drift ? drift : null;
  return {
    release: await afterHelm(wanted, afterUpgrade(release?.drifts ?? new Map(), corrected, context.nowSeconds())),
  };
}

async function perform(wanted: Wanted, observed: Observed, attempts: number): Promise<Ensured> {
  const { context, composition, namespace, name } = wanted;
  const { action, release } = observed;
  const say = (reason: string, message: string): void => {
    context.record(composition.object, { type: "Normal", reason, message });
  };
  switch (action.do) {
    case "wait":
      return { waitMs: action.ms };
    case "recover":
      context.log.warn({ release: name, namespace, secret: action.secret }, "an unfinished revision counts as failed");
      await context.records.change(namespace, name, (all) =>
        all.map((one) => (one.secret === action.secret ? asFailed(one) : one)),
      );
      if (attempts > 0) return perform(wanted, await observe(wanted), attempts - 1);
      return { waitMs: 1000 };
    case "install":
      if (!(await callHelm(wanted, "install", null))) return { waitMs: SHARED_MS };
      // Krateo's portal waits for this reason.
      say("CompositionCreated", `release ${name} of chart ${wanted.served.chart.name} ${wanted.served.chart.version}`);
      return { release: await afterHelm(wanted, new Map()) };
    case "upgrade":
      return upgrade(wanted, observed, action.reason);
    case "nothing":
      if (!release) return { waitMs: 1000 };
      await pruneLeftovers(wanted, observed.revisions).catch((thrown: unknown) => {
        // A release that is cached is not looked at again for some minutes.
        context.releases.delete(wanted.uid);
        throw thrown;
      });
      context.releases.set(wanted.uid, release);
      return { release };
  }
}

/**
 * Makes the release match the composition with at most one helm call; none if it already does. Throws REL_RENDER,
 * REL_HELM, REL_RELEASE_FOREIGN, REL_OBJECT_TAKEN, REL_OBJECT_LOST and the API server's errors.
 */
export async function ensureRelease(input: EnsureInput): Promise<Ensured> {
  const wanted = await during("render", () => wantedRelease(input));
  const known = input.context.releases.get(input.composition.object.metadata.uid ?? "");
  if (known && (await isSettled(wanted, known))) return { release: known };
  return perform(wanted, await observe(wanted), 3);
}
