import { describe } from "../../errors.ts";
import type { Readiness } from "./readiness.ts";
import { readiness } from "./readiness.ts";
import type { ConditionInput, Resource } from "../types.ts";

/** One resource of a release as it is found; null where it is not there. */
export interface Found {
  apiVersion: string;
  kind: string;
  name: string;
  live: Resource | null;
}

/** An error that the provider may overcome is reported as such once it lasts this long, in seconds. */
const RETRY_SECONDS = 20;
/** States in which a resource only waits for another one: they explain least. */
const WAITS = /Waiting|Dependency|Reference|Pending/;

const MISSING: Readiness = {
  ready: false,
  terminal: false,
  retrying: false,
  reason: "Missing",
  message: "it does not exist yet",
  since: null,
};

interface Judged extends Found {
  state: Readiness;
}

const lasts = (state: Readiness, nowSeconds: number): boolean =>
  state.retrying && (state.since === null || Date.parse(state.since) / 1000 + RETRY_SECONDS <= nowSeconds);

function wording({ state }: Judged): string {
  return state.message === "" ? state.reason : `${state.reason}: ${state.message}`;
}

const notReady = (reason: string, message: string): ConditionInput => ({
  type: "Ready",
  status: "False",
  reason,
  message,
});

function failure(judged: Judged, terminal: boolean): ConditionInput {
  const code = terminal ? "REL_PROVIDER_TERMINAL" : "REL_PROVIDER_RETRY";
  const { message } = describe(code, { kind: judged.kind, name: judged.name, detail: wording(judged) });
  return notReady(terminal ? "ProviderTerminal" : "ProviderRetrying", `${message} [${code}]`);
}

/**
 * The condition Ready of a composition, from all resources of its release: Available, ProviderTerminal,
 * ProviderRetrying, or Creating with the resource that explains most. `now` in seconds since 1970. Pure.
 */
export function summariseReadiness(found: Found[], nowSeconds: number): ConditionInput {
  const judged = found.map((entry) => ({ ...entry, state: entry.live ? readiness(entry.live) : MISSING }));
  const terminal = judged.find(({ state }) => state.terminal);
  if (terminal) return failure(terminal, true);
  const retrying = judged.find(({ state }) => lasts(state, nowSeconds));
  if (retrying) return failure(retrying, false);
  const open = judged.filter(({ state }) => !state.ready);
  const shown = open.find(({ state }) => !WAITS.test(state.reason)) ?? open[0];
  if (!shown)
    return { type: "Ready", status: "True", reason: "Available", message: `${found.length} resources are ready` };
  const more = open.length > 1 ? ` (and ${open.length - 1} more)` : "";
  return notReady("Creating", `waiting for ${shown.kind} ${shown.name}: ${wording(shown)}${more}`);
}
