import type { Condition, Resource } from "../../model/kubernetes.ts";
import { whoPaused } from "../../model/decision-annotation/who-paused.ts";
import type { State } from "../contract/rows.ts";
import { toldConditions } from "./told-conditions.ts";

/** An object's state, and the words of the condition that says it. */
export interface Told {
  state: State;
  reason: string;
  message: string;
  /** When it became so, as the condition says it. */
  since: string | null;
}

/** Reasons of Ready that end only if someone does something, besides those that begin with Provider. */
const FAILING = new Set(["ReleaseFailed", "EndFailed", "MachineStopped", "NoDefinition", "PoolErrors"]);

const told = (state: State, condition: Condition | undefined, reason: string, message = ""): Told => ({
  state,
  reason: condition?.reason ?? reason,
  message: condition?.message ?? message,
  since: condition?.lastTransitionTime ?? null,
});

/** The state of an object that is not ready, by the reason. */
function stateFrom(reason: string): State | null {
  if (reason === "Paused") return "waiting";
  if (reason === "Deleting") return "ending";
  return reason.startsWith("Provider") || FAILING.has(reason) ? "failing" : null;
}

/** The state that the condition Ready gives to an object that is not held back. */
function fromReady(ready: Condition | undefined, synced: Condition | undefined): Told {
  if (ready?.status === "True") return told(FAILING.has(ready.reason) ? "failing" : "running", ready, "Available");
  const state = ready === undefined ? null : stateFrom(ready.reason);
  if (state !== null) return told(state, ready, "");
  if (synced?.status === "False" && synced.reason === "ReconcileError") return told("failing", synced, synced.reason);
  return told("starting", ready, "NotReported", "no controller has reported on it yet");
}

/** The state of an object in its life, from its annotations and conditions. Pure. */
export function stateOf(object: Resource): Told {
  const conditions = new Map(toldConditions(object).map((condition) => [condition.type, condition]));
  const [ready, scheduled] = [conditions.get("Ready"), conditions.get("Scheduled")];
  if (object.metadata.deletionTimestamp !== undefined) return told("ending", ready, "Deleting");
  if (whoPaused(object) !== null) return told("waiting", scheduled, "WaitingForStart");
  const failed = conditions.get("Failed");
  if (failed?.status === "True") return told("failing", failed, "Failed");
  const completed = conditions.get("Completed");
  const found =
    completed?.status === "True" ? told("ended", completed, "Completed") : fromReady(ready, conditions.get("Synced"));
  const overdue = conditions.get("Overdue");
  // A failure needs someone first; a kept machine is paid for, whatever else is well.
  return overdue?.status === "True" && found.state !== "failing" ? told("overdue", overdue, "Overdue") : found;
}
