import { describe } from "../../errors.ts";
import type { Readiness } from "./readiness.ts";
import { readiness } from "./readiness.ts";
import type { RetryTimes } from "../context/composition-context.ts";
import { type Found, idOf } from "./retry-times.ts";
import type { ConditionInput } from "../types.ts";

export type { Found } from "./retry-times.ts";

/** An error that the provider may overcome is reported as such once it lasts this long, in seconds. */
const RETRY_SECONDS = 20;
/** States in which a resource only waits for another one: they explain least. */
const WAITS = /Waiting|Dependency|Reference|Pending/;

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
} as const;

function failure(judged: Judged, what: keyof typeof FAILURES): ConditionInput {
  const [reason, code] = FAILURES[what];
  const { message } = describe(code, { kind: judged.kind, name: judged.name, detail: wording(judged) });
  return notReady(reason, `${message} [${code}]`);
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
  const judged = found.map((entry) => ({ ...entry, state: entry.live ? readiness(entry.live) : MISSING }));
  const terminal = judged.find(
    (one) => one.state.terminal && (one.state.settles !== true || lasts(one, times, nowSeconds)),
  );
  if (terminal) return failure(terminal, "terminal");
  const full = judged.find(({ state }) => state.capacity);
  if (full) return failure(full, "capacity");
  const atWork = judged.some(({ state }) => !state.ready && state.waits !== true);
  const retrying = judged.find((one) => lasts(one, times, nowSeconds) && !(atWork && one.state.waits === true));
  if (retrying) return failure(retrying, "retrying");
  const open = judged.filter(({ state }) => !state.ready);
  const [first] = open;
  if (!first)
    return { type: "Ready", status: "True", reason: "Available", message: `${found.length} resources are ready` };
  const shown = open.find(({ state }) => !WAITS.test(state.reason)) ?? blamed(open, first);
  const more = open.length > 1 ? ` (and ${open.length - 1} more)` : "";
  return notReady("Creating", `waiting for ${shown.kind} ${shown.name}: ${wording(shown)}${more}`);
}
