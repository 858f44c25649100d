import { expect } from "vitest";
import { deletionState } from "../../../src/composition/status/readiness.ts";
import type { RetryTimes } from "../../../src/composition/context/composition-context.ts";
import { retryTimes } from "../../../src/composition/status/retry-times.ts";
import { summariseReadiness } from "../../../src/composition/status/summarise-readiness.ts";
import type { Resource } from "../../../src/composition/types.ts";

export interface RecordedStep {
  after?: number;
  conditions: Record<string, unknown>[];
  /** That another resource of the same object is at work. */
  others?: string;
  ready?: string;
  says?: string;
}

export interface Recorded {
  apiVersion: string;
  kind: string;
  steps: readonly RecordedStep[];
}

export const NOW = Date.parse("2026-11-21T10:00:00Z") / 1000;
const AT_WORK = { type: "Ready", status: "False", severity: "Info", reason: "Reconciling", observedGeneration: 1 };

const of = ({ apiVersion, kind }: Recorded, conditions: unknown[]): Resource => ({
  ...{ apiVersion, kind, metadata: { name: "web", generation: 1 }, status: { conditions } },
});

/** Reads each step of a sequence as the controller does, and expects what the sequence says. */
export function replay(recorded: Recorded): void {
  const { apiVersion, kind, steps } = recorded;
  let [at, times]: [number, RetryTimes] = [NOW, new Map()];
  for (const { after = 1, conditions, others, ready, says = "" } of steps) {
    at += after;
    const found = [{ apiVersion, kind, name: "web", live: of(recorded, conditions) }];
    const busy = { ...found[0], name: "other", live: of(recorded, [AT_WORK]), apiVersion, kind };
    const all = others === undefined ? found : [...found, busy];
    times = retryTimes(all, times, at);
    const said = summariseReadiness(all, at, times);
    expect(said.reason).toBe(ready);
    expect(said.message).toContain(says);
    expect(said.message).not.toContain("RequestID");
  }
}

/** What the controller says of a resource that is being deleted, in its first step. */
export function replayDeletion(recorded: Recorded): void {
  const [step] = recorded.steps;
  const deleted = of(recorded, step?.conditions ?? []);
  deleted.metadata.deletionTimestamp = "2026-11-21T10:00:00Z";
  const { reason, message } = deletionState(deleted);
  expect(`${reason}: ${message}`).toBe(step?.says);
}
