import { apiPath } from "../../../src/cluster/api-path.ts";
import type { CompositionContext } from "../../../src/composition/context/composition-context.ts";
import { type FollowedRun, followRun } from "../../../src/composition/run/follow/follow-run.ts";
import { countRuns } from "../../../src/composition/run/state/run-metrics.ts";
import { planOf } from "../../../src/composition/run/state/run-plan.ts";
import type { Release } from "../../../src/composition/managed/release.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { ANNOTATION } from "../../../src/model/names.ts";
import { NEW_METER, type RunRecord } from "../../../src/model/runs/run-record.ts";
import { formatTime } from "../../../src/model/time.ts";

/** When the run of `recordOf` started. */
export const START = 1_800_000_000;
export const HOUR = 3600;
export const GRACE = 900;
export type Spec = Record<string, unknown>;

export const objectOf = (spec: Spec, annotations: Record<string, string> = {}): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec },
  metadata: { uid: "u", name: "job", namespace: "demo", generation: 1, annotations },
});

/** An object whose run works in these parts, in hours from START. */
export function pausing(spec: Spec, hours: readonly (readonly [number, number])[], more: Record<string, string> = {}) {
  const segments = hours.map(([from, to]) => ({
    start: formatTime(START + from * HOUR),
    end: formatTime(START + to * HOUR),
  }));
  const placement = { start: segments[0]?.start, end: segments.at(-1)?.end, segments };
  return objectOf(spec, { [ANNOTATION.decision]: JSON.stringify({ placement }), ...more });
}

export const recordOf = (spec: Spec, more: Partial<RunRecord> = {}): RunRecord => ({
  ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "job", run: "", generation: 1 },
  ...{ plan: planOf(spec, GRACE), startedAt: START, end: null, removedAt: null, wasReady: false },
  ...{ machine: null, reported: null, pricePerHour: 1, gramsCO2: 5, meter: NEW_METER, ...more },
});

/** A machine of Google Cloud in this state. */
export const google = (currentStatus: string): Resource => ({
  ...{ apiVersion: "compute.cnrm.cloud.google.com/v1beta1", kind: "ComputeInstance", metadata: { uid: "m" }, spec: {} },
  status: { currentStatus, instanceId: "1" },
});

/** What a controller knows of one object: its record, its release, and the machine in it. */
export interface OneRun {
  record: RunRecord | null;
  /** The state of the newest revision of its release; null if nothing was ever installed. */
  revision: "deployed" | "failed" | null;
  machine: Resource | null;
  now: number;
}

/** A controller with one run. */
export function oneRun(given: Partial<OneRun> = {}) {
  const known: OneRun = { record: null, revision: "deployed", machine: null, now: START, ...given };
  const events: string[] = [];
  const revisions = () =>
    known.revision === null ? null : { revisions: [{ status: known.revision, release: { config: {} } }] };
  const context = {
    ...{ keys: null, graceSeconds: GRACE, runMetrics: countRuns() },
    ...{ serverSeconds: () => known.now, nowSeconds: () => known.now },
    releases: new Map(known.revision === "deployed" ? [["u", { objects: [{}] } as unknown as Release]] : []),
    managed: { get: () => known.machine },
    records: {
      find: () => Promise.resolve(known.revision === null ? null : "job"),
      read: () => Promise.resolve(revisions()),
    },
    boots: { observe: () => Promise.resolve(), known: () => ({}) },
    clientIn: () => Promise.resolve(),
    record: (_object: Resource, { reason }: { reason: string }) => events.push(reason),
    runs: {
      read: () => Promise.resolve(known.record),
      list: () => (known.record === null ? [] : [known.record]),
      change: (next: RunRecord) => Promise.resolve((known.record = next)),
      remove: () => {
        known.record = null;
        return Promise.resolve();
      },
    },
  } as unknown as CompositionContext;
  /** Follows the run of the object at a time, in hours from START. */
  const follow = (object: Resource, hours: number): Promise<FollowedRun | null> => {
    known.now = START + hours * HOUR;
    return followRun(context, { key: "k", path: apiPath`/apis/x`, object });
  };
  return { known, context, events, follow };
}
