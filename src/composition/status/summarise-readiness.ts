import { describe } from "../../errors.ts";
import { conditionsOf } from "../../model/kubernetes.ts";
import { parseTime } from "../../model/time.ts";
import { isMadeCluster, POOLS } from "./cluster-paths.ts";
import { isSyncedForPools, isUpgraded } from "./provider/eks-version.ts";
import { unseenSince } from "./look-times.ts";
import { withLostCreations } from "./lost-creations.ts";
import { OUTDATED } from "./provider/state.ts";
import type { Readiness } from "./readiness.ts";
import { remadeOften } from "./remade-machines.ts";
import { readiness } from "./readiness.ts";
import type { RetryTimes } from "../context/composition-context.ts";
import { type Found, idOf, WAITS, workOf } from "./retry-times.ts";
import type { ConditionInput } from "../types.ts";

export type { Found } from "./retry-times.ts";

/** An error that the provider may overcome is reported as such once it lasts this long, in seconds. */
const RETRY_SECONDS = 20;
/** Work on a resource without an error is reported once it lasts this long, in seconds: a new control plane takes up to half an hour. */
export const SLOW_SECONDS = 90 * 60;
/** An operator that has said nothing of a resource is reported after this long, in seconds: each writes a first condition within a minute. */
const SILENT_SECONDS = 15 * 60;

const MISSING: Readiness = {
  ready: false,
  terminal: false,
  retrying: false,
  capacity: false,
  reason: "Missing",
  message: "it does not exist yet",
  since: null,
};

interface Judged extends Found {
  state: Readiness;
}

function lasts(judged: Judged, times: RetryTimes, nowSeconds: number): boolean {
  const { state } = judged;
  if (!state.retrying) return false;
  const since = state.since === null ? (times.get(idOf(judged)) ?? nowSeconds) : Date.parse(state.since) / 1000;
  return since + RETRY_SECONDS <= nowSeconds;
}

/** Whether the operator of a resource has said nothing of it, or of its last change, for too long. */
function isSilent(judged: Judged, times: RetryTimes, nowSeconds: number): boolean {
  const { live, state } = judged;
  if ((unseenSince(judged, times) ?? nowSeconds) + SILENT_SECONDS <= nowSeconds) return true;
  if (live === null || state.ready || live.metadata.deletionTimestamp !== undefined) return false;
  const created = parseTime(live.metadata.creationTimestamp ?? "") ?? nowSeconds;
  return conditionsOf(live).length === 0 && created + SILENT_SECONDS <= nowSeconds;
}

/** The state of a resource. One that is ready is not so yet if its last change waits for its operator. */
function stateOf(found: Found, times: RetryTimes, nowSeconds: number): Readiness {
  if (found.live === null) return MISSING;
  const isOpen = (unseenSince(found, times) ?? nowSeconds) + RETRY_SECONDS <= nowSeconds;
  if (isOpen) return OUTDATED;
  return remadeOften(found, times) ?? withLostCreations(found, readiness(found.live), times);
}

/** The resource that another one waits for, directly or not; the one itself where none of these is open. */
function blamed(open: readonly Judged[], waiting: Judged, depth = open.length): Judged {
  const { waitsFor } = waiting.state;
  const cause = open.find(({ kind, name }) => kind === waitsFor?.kind && name === waitsFor.name);
  return cause === undefined || depth === 0 ? waiting : blamed(open, cause, depth - 1);
}

function wording({ state }: Judged): string {
  return state.message === "" ? state.reason : `${state.reason}: ${state.message}`;
}

const notReady = (reason: string, message: string): ConditionInput => ({
  type: "Ready",
  status: "False",
  reason,
  message,
});

const FAILURES = {
  terminal: ["ProviderTerminal", "REL_PROVIDER_TERMINAL"],
  capacity: ["ProviderCapacity", "REL_PROVIDER_CAPACITY"],
  retrying: ["ProviderRetrying", "REL_PROVIDER_RETRY"],
  slow: ["ProviderRetrying", "REL_PROVIDER_SLOW"],
  silent: ["ProviderRetrying", "REL_PROVIDER_SILENT"],
} as const;

/** The worst first. */
const FAILURE_KINDS = ["terminal", "capacity", "retrying", "slow", "silent"] as const;

/** Whether a condition says that work on a resource lasts too long. */
export const isSlow = (ready: ConditionInput | undefined): boolean =>
  ready?.message.includes(`[${FAILURES.slow[1]}]`) === true;

/** The reason why a change of a pool usually does not end: providers drain its nodes one after the other. */
function hintOf({ kind, live }: Judged): string {
  if (!POOLS.has(kind)) return "";
  const force = live?.kind === "Nodegroup" ? `, or have ACK force it: ${FORCE}` : "";
  return `; a PodDisruptionBudget may keep its nodes: let Pods go${force}`;
}

const FORCE = "annotation eks.services.k8s.aws/force-update-version";

/**
 * Operators keep the pools of a control plane as they are while that is not as its specification says. ACK does not where EKS refused an
 * update: only the pools' version waits then, because it is rendered when the control plane is there.
 */
function heldPools({ live }: Judged, found: readonly Found[]): string {
  if (live === null || !isMadeCluster(live) || !found.some(({ kind }) => POOLS.has(kind))) return "";
  if (!isSyncedForPools(live)) return "; changes of its pools wait until it is ready";
  return isUpgraded(live) ? "; its pools keep their version until it is upgraded" : "";
}

function failure(judged: Judged, what: keyof typeof FAILURES, found: readonly Found[]): ConditionInput {
  const [reason, code] = FAILURES[what];
  const detail = `${wording(judged)}${what === "slow" ? hintOf(judged) : ""}${heldPools(judged, found)}`;
  const { message } = describe(code, { kind: judged.kind, name: judged.name, detail });
  return notReady(reason, `${message} [${code}]`);
}

/** The first failure of a resource, the worst kind first; null for none. */
function failureOf(
  judged: readonly Judged[],
  times: RetryTimes,
  nowSeconds: number,
): [judged: Judged, what: keyof typeof FAILURES] | null {
  const isLasting = (one: Judged): boolean => lasts(one, times, nowSeconds);
  const atWork = judged.some(({ state }) => !state.ready && state.waits !== true);
  const checks: Record<keyof typeof FAILURES, (one: Judged) => boolean> = {
    terminal: (one) => one.state.terminal && (one.state.settles !== true || isLasting(one)),
    capacity: ({ state }) => state.capacity,
    retrying: (one) => isLasting(one) && !(atWork && one.state.waits === true),
    slow: (one) => (times.get(workOf(one)) ?? nowSeconds) + SLOW_SECONDS <= nowSeconds,
    silent: (one) => isSilent(one, times, nowSeconds),
  };
  for (const what of FAILURE_KINDS) {
    const one = judged.find(checks[what]);
    if (one !== undefined) return [one, what];
  }
  return null;
}

/**
 * The condition Ready of a composition, from all resources of its release: Available, ProviderTerminal, ProviderCapacity,
 * ProviderRetrying, or Creating with the resource that explains most. `now` in seconds since 1970. Pure.
 */
export function summariseReadiness(
  found: readonly Found[],
  nowSeconds: number,
  times: RetryTimes = new Map(),
): ConditionInput {
  const judged = found.map((entry) => ({ ...entry, state: stateOf(entry, times, nowSeconds) }));
  const failed = failureOf(judged, times, nowSeconds);
  if (failed !== null) return failure(...failed, found);
  const open = judged.filter(({ state }) => !state.ready);
  const [first] = open;
  if (!first) {
    const message = found.length === 1 ? "1 resource is ready" : `${found.length} resources are ready`;
    return { type: "Ready", status: "True", reason: "Available", message };
  }
  const shown = open.find(({ state }) => !WAITS.test(state.reason)) ?? blamed(open, first);
  const more = open.length > 1 ? ` (and ${open.length - 1} more)` : "";
  return notReady("Creating", `waiting for ${shown.kind} ${shown.name}: ${wording(shown)}${more}`);
}
