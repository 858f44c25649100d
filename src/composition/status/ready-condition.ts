import { conditionsOf } from "../../model/kubernetes.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import type { Release } from "../managed/release.ts";
import type { ConditionInput, Resource } from "../types.ts";
import { lookTimes } from "./look-times.ts";
import { creationErrors } from "./lost-creations.ts";
import { POOL_ERRORS } from "./pool-errors.ts";
import { machineTimes } from "./remade-machines.ts";
import { type Found, retryTimes, workTimes } from "./retry-times.ts";
import { isSlow, SLOW_SECONDS, summariseReadiness } from "./summarise-readiness.ts";

export const foundOf = (context: CompositionContext, release: Release): Found[] =>
  release.objects.map((object) => ({ ...object, live: context.managed.get(object) ?? null }));

const readyBefore = (composition: Resource) => conditionsOf(composition).find(({ type }) => type === "Ready");

const LASTING = new Set(["ProviderRetrying", "ProviderTerminal"]);

/** The condition Ready of a composition, from what its release's resources say now and since when they say it. */
export function readyOf(context: CompositionContext, composition: Resource, found: readonly Found[]): ConditionInput {
  const { uid = "" } = composition.metadata;
  const now = context.nowSeconds();
  // An error that was reported before this process started has lasted.
  const otherwise = LASTING.has(readyBefore(composition)?.reason ?? "") ? 0 : now;
  const known = context.retrying.get(uid) ?? new Map<string, number>();
  const begun = isSlow(readyBefore(composition)) ? now - SLOW_SECONDS : now;
  const times = new Map([
    ...retryTimes(found, known, otherwise),
    ...workTimes(found, known, begun),
    ...lookTimes(found, known, now),
    ...machineTimes(found, known, now),
    ...creationErrors(found, known, now),
  ]);
  if (times.size === 0) context.retrying.delete(uid);
  else context.retrying.set(uid, times);
  return summariseReadiness(found, now, times);
}

/** Ready with the condition Machine: its operator is done with a machine that was stopped by hand, and calls it ready. */
export const withMachine = (ready: ConditionInput, machine: ConditionInput | null): ConditionInput =>
  ready.status === "True" && machine?.status === "False"
    ? { ...ready, status: "False", reason: "MachineStopped", message: machine.message }
    : ready;

/** Writes an Event where the reason is another one than before, and people wait for it. */
export function sayTransition(context: CompositionContext, composition: Resource, ready: ConditionInput): void {
  if (readyBefore(composition)?.reason === ready.reason) return;
  if (ready.reason === POOL_ERRORS)
    context.record(composition, { type: "Warning", reason: ready.reason, message: ready.message });
  else if (ready.status === "True")
    context.record(composition, { type: "Normal", reason: "Ready", message: ready.message });
  else if (ready.reason.startsWith("Provider") || ready.reason === "MachineStopped") {
    context.record(composition, { type: "Warning", reason: ready.reason, message: ready.message });
  }
}
