import { apiPath } from "../../../src/cluster/api-path.ts";
import type { CompositionContext } from "../../../src/composition/context/composition-context.ts";
import { type FollowedRun, followRun } from "../../../src/composition/run/follow/follow-run.ts";
import { noteReady } from "../../../src/composition/run/follow/note-ready.ts";
import { noteRefusal } from "../../../src/composition/run/follow/note-refusal.ts";
import { noteUse } from "../../../src/composition/run/follow/note-use.ts";
import { runConditions, runStatus } from "../../../src/composition/run/follow/run-status.ts";
import { countRuns } from "../../../src/composition/run/state/run-metrics.ts";
import { planOf } from "../../../src/composition/run/state/run-plan.ts";
import { seenMachine } from "../../../src/composition/run/machine/machine-now.ts";
import { summariseReadiness } from "../../../src/composition/status/summarise-readiness.ts";
import type { ConditionInput, Resource } from "../../../src/composition/types.ts";
import { NEW_METER, type RunRecord } from "../../../src/model/runs/run-record.ts";
import { formatTime } from "../../../src/model/time.ts";

export const START = 1_800_000_000;
export const HOUR = 3600;
type Spec = Record<string, unknown>;

export const cnrm = (kind: string, message: string | null, fields: { spec?: Spec; status?: Spec } = {}): Resource => {
  const ready = message === null ? { status: "True", reason: "UpToDate" } : { status: "False", reason: "UpdateFailed" };
  const condition = { type: "Ready", ...ready, message: message ?? "", lastTransitionTime: formatTime(START - HOUR) };
  const group = kind.startsWith("Container") ? "container" : "compute";
  return {
    ...{ apiVersion: `${group}.cnrm.cloud.google.com/v1beta1`, kind, metadata: { name: "job", uid: kind } },
    spec: fields.spec ?? {},
    status: { conditions: [condition], ...fields.status },
  };
};

export const QUOTA = "googleapi: Error 403: Quota 'FIREWALLS' exceeded. Limit: 100.0 globally., quotaExceeded";
export const STOCKOUT = "Error: ZONE_RESOURCE_POOL_EXHAUSTED";

/** The decision for a run that is on in these hours after its start. */
export const decisionOf = (parts: [number, number][]): Record<string, string> => {
  const segments = parts.map(([from, to]) => ({
    start: formatTime(START + from * HOUR),
    end: formatTime(START + to * HOUR),
  }));
  const [start, end] = [segments[0]?.start, segments.at(-1)?.end];
  const placement = { start, end, ...(parts.length > 1 ? { segments } : {}), pricePerHour: 1, gramsCO2: 5 };
  return { "landfall.dev/decision": JSON.stringify({ placement }) };
};

/** What a release records of its revisions. */
export type Revisions = { status: string; release: Spec }[];

/** A revision that helm left so, with these resources. */
export const revisionOf = (status: string, live: readonly Resource[]): Revisions[number] => ({
  status,
  release: {
    config: {},
    manifest: live
      .map(({ apiVersion, kind }) => JSON.stringify({ apiVersion, kind, metadata: { name: "job" } }))
      .join("\n---\n"),
  },
});

export interface RunWithMachineOptions {
  spec: Spec;
  kind?: string;
  record?: Partial<RunRecord>;
  annotations?: Record<string, string>;
  revisions?: Revisions;
}

/** One run that began at START, the resources of its release, and a controller that looks at them whenever it is asked. */
export class RunWithMachine {
  live: Resource[] = [];
  object: Resource;
  now = START;
  record: RunRecord | null;
  readonly events: string[] = [];
  readonly context: CompositionContext;
  revisions: Revisions;

  constructor({ spec, kind = "VmTemplate", record = {}, annotations = {}, revisions = [] }: RunWithMachineOptions) {
    const { metadata, ...head } = { apiVersion: "composition.krateo.io/v0-2-0", kind, metadata: { generation: 1 } };
    const named = { uid: "u", name: "job", namespace: "demo" };
    this.object = { ...head, spec, metadata: { ...metadata, ...named, annotations } };
    this.revisions = revisions;
    this.record = {
      ...{ ...named, kind, run: "", generation: 1, plan: planOf(spec, 900), startedAt: START, end: null },
      ...{ removedAt: null, wasReady: false, machine: null, reported: null, pricePerHour: 1, gramsCO2: 5 },
      ...{ meter: NEW_METER, ...record },
    };
    this.context = this.#contextOf();
  }

  #contextOf(): CompositionContext {
    const keep = (record: RunRecord): Promise<RunRecord> => {
      this.record = record;
      return Promise.resolve(record);
    };
    const context: Partial<CompositionContext> = {
      ...{ keys: null, graceSeconds: 900, serverSeconds: () => this.now, nowSeconds: () => this.now },
      ...{ runMetrics: countRuns(), releases: new Map(), clientIn: () => Promise.resolve({} as never) },
      ...{ resyncSeconds: 600, retrying: new Map(), servedFor: () => null },
      ...{ client: { patch: () => Promise.resolve({}) } as never, rollouts: { note: () => undefined } as never },
      records: {
        find: () => Promise.resolve(this.revisions.length === 0 ? null : "job-1"),
        correct: () => Promise.resolve(),
        read: () => Promise.resolve({ revisions: this.revisions }),
      } as unknown as CompositionContext["records"],
      discovery: {
        find: (_apiVersion: string, kind: string) => Promise.resolve({ kind, name: kind, namespaced: true }),
      } as unknown as CompositionContext["discovery"],
      tenant: () =>
        ({
          get: (path: string) => Promise.resolve(this.live.find(({ kind }) => path.includes(`/${kind}/`)) ?? null),
        }) as unknown as ReturnType<CompositionContext["tenant"]>,
      managed: {
        get: (at: number) => this.live[at],
      } as unknown as CompositionContext["managed"],
      boots: { observe: () => Promise.resolve(), known: () => ({}) },
      record: (_object, { reason, message }) => void this.events.push(`${reason}: ${message}`),
      runs: {
        read: () => Promise.resolve(this.record),
        list: () => (this.record === null ? [] : [this.record]),
        change: keep,
        start: (record: RunRecord, startedAt: number | null) => keep({ ...record, startedAt: startedAt ?? this.now }),
        remove: () => {
          this.record = null;
          return Promise.resolve();
        },
      },
    };
    return context as CompositionContext;
  }

  /** What a controller that was killed no longer knows. */
  forget(): void {
    this.context.releases.clear();
  }

  async follow(): Promise<FollowedRun> {
    const run = await followRun(this.context, { key: "u", path: apiPath`/apis/x`, object: this.object });
    if (run === null) throw new TypeError("no run is recorded");
    return run;
  }

  ready(): ConditionInput {
    return summariseReadiness(this.#found(), this.now);
  }

  #found = () =>
    this.live.map((live) => ({ ...{ apiVersion: live.apiVersion, kind: live.kind, name: "job" }, live })) as Parameters<
      typeof summariseReadiness
    >[0];

  /** Reconciles once at this time after the start. */
  async look(hours: number): Promise<FollowedRun> {
    this.now = START + hours * HOUR;
    const run = await this.follow();
    if (run.step.do !== "run" && run.step.do !== "pause") return run;
    this.context.releases.set("u", { objects: this.live.map((_, at) => at) } as never);
    const seen = seenMachine(this.live, this.ready());
    await noteRefusal(this.context, this.object, run, seen);
    await noteReady(this.context, this.object, run, seen);
    await noteUse(this.context, run, seen);
    return run;
  }

  /** Reconciles every two minutes of these hours, or until it is over. */
  async lookFrom(from: number, to: number): Promise<FollowedRun> {
    let run = await this.look(from);
    for (let minutes = 2; from + minutes / 60 <= to && run.record.end === null; minutes += 2)
      run = await this.look(from + minutes / 60);
    return run;
  }

  condition({ record, step }: FollowedRun, type: string): ConditionInput | undefined {
    return runConditions(record, step, this.now).find((one) => one.type === type);
  }

  status({ record, step }: FollowedRun): Record<string, unknown> {
    return runStatus(record, step)["run"] as Record<string, unknown>;
  }
}
