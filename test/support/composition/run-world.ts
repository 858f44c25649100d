import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import { createServerClock } from "../../../src/cluster/server-clock.ts";
import type { Composition, CompositionContext } from "../../../src/composition/context/composition-context.ts";
import { Looks } from "../../../src/composition/context/looks.ts";
import { endRun, isRunOver, untilNext } from "../../../src/composition/run/end/end-run.ts";
import { type FollowedRun, followRun, startRun } from "../../../src/composition/run/follow/follow-run.ts";
import { noteHeld } from "../../../src/composition/run/follow/note-held.ts";
import { noteUse } from "../../../src/composition/run/follow/note-use.ts";
import { noteRefusal } from "../../../src/composition/run/follow/note-refusal.ts";
import { noteReady, spoilBoot } from "../../../src/composition/run/follow/note-ready.ts";
import { nextRunStep, type RunStep } from "../../../src/composition/run/state/next-run-step.ts";
import { readRunRecord } from "../../../src/model/runs/run-record.ts";
import { openRuns } from "../../../src/composition/record/open-runs.ts";
import { powerOf } from "../../../src/composition/report/run-values.ts";
import { runConditions, runStatus, whileHeld } from "../../../src/composition/run/follow/run-status.ts";
import { tellPause } from "../../../src/composition/run/follow/tell-pause.ts";
import { writeStatus } from "../../../src/composition/status/write-status.ts";
import type { Release } from "../../../src/composition/managed/release.ts";
import { countRuns } from "../../../src/composition/run/state/run-metrics.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { apiPath } from "../../../src/cluster/api-path.ts";
import type { KeyRing } from "../../../src/model/decision-annotation/key-ring.ts";
import { trusted } from "../../../src/model/decision-annotation/trusted.ts";
import { formatTime } from "../../../src/model/time.ts";
import { isPaused } from "../../../src/model/decision-annotation/pause.ts";
import { LandfallError } from "../../../src/errors.ts";
import { memoryRemovals } from "./memory-removals.ts";
import type { SeenMachine } from "../../../src/composition/run/machine/machine-now.ts";
import { seenOf } from "./seen-of.ts";

const isAskew = (thrown: unknown): boolean => thrown instanceof LandfallError && thrown.code === "RUN_CLOCKS";

/** The controller was killed in the middle of a call. */
export class Killed extends Error {}

interface Machine {
  installedAt: number;
  /** When its deletion was asked for. */
  deletedAt: number | null;
  /** When the provider had deleted it. */
  goneAt: number | null;
  /** The provider's word for its state. */
  state: string;
  /** Whether what is installed leaves it at the provider. */
  retained: boolean;
}

/** What one object lived through. */
export interface Life {
  object: Resource;
  machines: Machine[];
  events: { at: number; reason: string }[];
  /** Of a spot machine at Google Cloud: whether there is another one for it after an eviction. */
  spot?: { capacity: boolean };
  /** Whether its provider has no machine for its first start. */
  soldOut?: boolean;
  /** Until when its machine is not ready, and the reason of that: it boots, or its provider has none for it. */
  notReady?: { until: number; reason: "Creating" | "ProviderCapacity" };
  /** When its machine was told to be on or off. */
  power: { at: number; on: boolean; deleted?: boolean }[];
}

export interface WorldOptions {
  random: () => number;
  /** Seconds that the provider takes to delete a machine. */
  deletionSeconds: () => number;
  /** Whether the controller dies in this call; asked before and after each. */
  dies: () => boolean;
  graceSeconds: number;
  /** Verify decisions; without them none is needed. */
  keys?: KeyRing;
}

const STEP_SECONDS = 1;

/** The release of an object has its name. */
const releaseOf = ({ object }: Life): Release =>
  ({
    name: object.metadata.name ?? "",
    objects: [{ entry: { path: object.metadata.name ?? "" } }],
  }) as unknown as Release;

/** The machine of a life as its operator reports it; null where the world has no provider. */
const liveOf = ({ spot, machines }: Life): Resource | null =>
  spot === undefined
    ? null
    : {
        ...{
          apiVersion: "compute.cnrm.cloud.google.com/v1beta1",
          kind: "ComputeInstance",
          metadata: { uid: "machine" },
        },
        spec: { scheduling: { provisioningModel: "SPOT" } },
        status: { currentStatus: machines.at(-1)?.state },
      };

/** What is recorded of the releases of these lives: what is installed. */
const recordsOf = (lives: Map<string, Life>): CompositionContext["records"] =>
  ({
    find: (_namespace: string, uid: string) => Promise.resolve((lives.get(uid)?.machines.length ?? 0) > 0 ? uid : null),
    read: (_namespace: string, release: string) => {
      const config = { deletionPolicy: lives.get(release)?.machines.at(-1)?.retained === true ? "retain" : "delete" };
      return Promise.resolve({ revisions: [{ status: "deployed", release: { config } }] });
    },
  }) as unknown as CompositionContext["records"];

/**
 * A cluster in memory with a clock of its own: an API server that stores Secrets and statuses, one controller that can be killed in
 * any call, and machines. The controller's wall clock is wrong at times.
 */
export class RunWorld {
  /** True time, in seconds since 1970. */
  now = 1_800_000_000;
  readonly lives: Life[] = [];
  /** Whether no release can be installed or upgraded. */
  refuseUpgrades = false;
  readonly #options: WorldOptions;
  readonly #secrets = new Map<string, Resource>();
  #version = 1;
  #context: CompositionContext | null = null;
  /** When the next controller leads. */
  #leadsAt = 0;
  readonly #due = new Map<string, number>();
  /** What a process's monotonic clock shows: its zero means nothing. */
  #elapsedZero = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
  }

  add(object: Resource): Life {
    const uid = `uid-${String(this.lives.length)}`;
    const life: Life = {
      object: { ...object, metadata: { ...object.metadata, uid, namespace: "demo", name: uid } },
      machines: [],
      events: [],
      power: [],
    };
    this.lives.push(life);
    this.#due.set(uid, this.now);
    return life;
  }

  /** An event of the informer. */
  touch(life: Life): void {
    this.#due.set(life.object.metadata.uid ?? "", this.now);
  }

  kill(): void {
    this.#context = null;
    // The Lease of the killed one has to expire: 15 s, and up to 3 s until somebody looks.
    this.#leadsAt = this.now + 15 + 3 * this.#options.random();
  }

  secrets(): Resource[] {
    return [...this.#secrets.values()];
  }

  /** The step of the recorded run of the object with this uid, now. */
  stepOf(uid: string): RunStep | null {
    const record = this.secrets()
      .flatMap((secret) => readRunRecord(secret) ?? [])
      .find((one) => one.uid === uid);
    if (record === undefined) return null;
    return nextRunStep(record.plan, record, null, this.now);
  }

  async run(seconds: number): Promise<void> {
    for (const until = this.now + seconds; this.now < until; this.now += STEP_SECONDS) await this.#tick();
  }

  async #tick(): Promise<void> {
    if (this.#context === null) {
      if (this.now < this.#leadsAt) return;
      this.#lead();
    }
    for (const life of this.lives) {
      const { uid = "" } = life.object.metadata;
      if ((this.#due.get(uid) ?? Infinity) > this.now || this.#context === null) continue;
      this.#due.delete(uid);
      await this.#reconcile(life, this.#context).catch((thrown: unknown) => {
        if (thrown instanceof Killed) this.kill();
        else if (thrown instanceof ApiError || isAskew(thrown)) this.#due.set(uid, this.now + 1);
        else throw thrown;
      });
    }
  }

  /** A new controller looks at every object. */
  #lead(): void {
    this.#elapsedZero = this.now - 1000 * this.#options.random();
    this.#context = this.#contextOf();
    for (const { object } of this.lives) this.#due.set(object.metadata.uid ?? "", this.now);
  }

  async #reconcile(life: Life, context: CompositionContext): Promise<void> {
    const { object } = life;
    const { uid = "" } = object.metadata;
    const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/demo/vmtemplates/${uid}`;
    const composition: Composition = { key: uid, object, path };
    const run =
      (await followRun(context, composition)) ??
      (await startRun(context, { ...composition, object: trusted(context.keys, object) }));
    const next = (ms: number | null): void => {
      if (ms !== null) this.#due.set(uid, this.now + ms / 1000);
    };
    if (run !== null && isRunOver(run)) {
      const removing = (): Promise<Resource[]> => this.#remove(life);
      next((await endRun(context, composition, run, removing)).requeueAfter);
      return;
    }
    await this.#pursue(life, context, run);
    next(run && untilNext(run));
    if (this.#isAwaited(life)) next(20_000);
  }

  async #pursue(life: Life, context: CompositionContext, run: FollowedRun | null): Promise<void> {
    if (run?.step.do === "stop") await this.#stop(life, context, run);
    else if (isPaused(life.object)) await this.#hold(life, context, run);
    else await this.#install(life, context, run);
  }

  /** Upgrades a release whose machine is to be off. */
  async #stop(life: Life, context: CompositionContext, run: FollowedRun): Promise<void> {
    this.#mayDie();
    if (this.refuseUpgrades) throw new ApiError(500, { action: "upgrade", detail: "" });
    await this.#switch(life, context, run);
    this.#mayDie();
  }

  #reasonOf(life: Life): string {
    return this.#isAwaited(life) && life.notReady !== undefined ? life.notReady.reason : "Creating";
  }

  #unready(life: Life, context: CompositionContext): SeenMachine {
    const ready = { type: "Ready", status: "False", reason: this.#reasonOf(life), message: "" } as const;
    return seenOf(context, ready, { uid: life.object.metadata.uid ?? "" });
  }

  #isAwaited({ soldOut, notReady }: Life): boolean {
    return soldOut === true || (notReady !== undefined && notReady.until > this.now);
  }

  /** What is noted of a run while its user pauses the object: nothing is installed or upgraded. */
  async #hold(life: Life, context: CompositionContext, run: FollowedRun | null): Promise<void> {
    if (run === null) return;
    const { uid = "" } = life.object.metadata;
    const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/demo/vmtemplates/${uid}`;
    const composition: Composition = { key: uid, object: life.object, path };
    await writeStatus(context, composition, { conditions: whileHeld(run), fields: runStatus(run.record, run.step) });
    await spoilBoot(context, life.object);
    const isReady = life.machines.length > 0 && !this.#isAwaited(life) && life.machines.at(-1)?.state !== "TERMINATED";
    const reason = isReady ? "Available" : "ProviderCapacity";
    const ready = { type: "Ready", status: isReady ? "True" : "False", reason, message: "" } as const;
    const hasBegun = await noteHeld(context, life.object, run, seenOf(context, ready, { uid, hasMachine: isReady }));
    if (hasBegun) this.touch(life);
  }

  async #install(life: Life, context: CompositionContext, run: FollowedRun | null): Promise<void> {
    this.#mayDie();
    if (this.refuseUpgrades) throw new ApiError(500, { action: "upgrade", detail: "" });
    if (life.soldOut !== true && life.machines.every(({ goneAt }) => goneAt !== null))
      life.machines.push({ installedAt: this.now, deletedAt: null, goneAt: null, state: "running", retained: false });
    const machine = life.machines.at(-1);
    if (life.soldOut === true) return this.#refuse(life, context, run);
    if (machine !== undefined) machine.retained = life.object.spec?.["deletionPolicy"] === "retain";
    context.releases.set(life.object.metadata.uid ?? "", releaseOf(life));
    this.#mayDie();
    if (run === null) return;
    if (run.record.plan.pauses !== undefined) await this.#switch(life, context, run);
    await this.#seeReady(life, context, run);
    await noteUse(context, run, this.#unready(life, context));
  }

  /** Reports that the provider has no machine. */
  async #refuse({ object }: Life, context: CompositionContext, run: FollowedRun | null): Promise<void> {
    const ready = { type: "Ready", status: "False", reason: "ProviderCapacity", message: "" } as const;
    await noteRefusal(context, object, run, seenOf(context, ready, { uid: object.metadata.uid ?? "" }));
  }

  /** Records that the machine was there once. */
  async #seeReady(life: Life, context: CompositionContext, run: FollowedRun): Promise<void> {
    if (life.spot !== undefined) return this.#power(life, context, run);
    const ready = { type: "Ready", status: "False", reason: "Creating", message: "" } as const;
    const uid = life.object.metadata.uid ?? "";
    if (await noteRefusal(context, life.object, run, seenOf(context, ready, { uid, hasMachine: true }))) {
      this.touch(life);
      return;
    }
    if (this.#isAwaited(life)) return;
    await noteReady(
      context,
      life.object,
      run,
      seenOf(context, { ...ready, status: "True", reason: "Available" }, { uid }),
    );
  }

  /** Starts a spot machine again that was evicted, if there is one, and reports it. */
  async #power({ object, machines, spot }: Life, context: CompositionContext, run: FollowedRun): Promise<void> {
    const machine = machines.at(-1);
    if (machine === undefined) return;
    if (machine.state === "running") machine.state = "RUNNING";
    if (powerOf(run).powerState === "on" && spot?.capacity === true) machine.state = "RUNNING";
    const isReady = machine.state === "RUNNING" ? "True" : "False";
    const ready = { type: "Ready", status: isReady, reason: "", message: "" } as const;
    await noteReady(context, object, run, seenOf(context, ready, { uid: object.metadata.uid ?? "" }));
  }

  /** Stops or starts the machine of a run that pauses, and reports it. */
  async #switch({ object, power }: Life, context: CompositionContext, run: FollowedRun): Promise<void> {
    const { powerState } = powerOf(run);
    const on = powerState !== "off" && powerState !== "deleted";
    if (on !== (power.at(-1)?.on ?? true))
      power.push({ at: this.now, on, ...(powerState === "deleted" ? { deleted: true } : {}) });
    const conditions = runConditions(run.record, run.step, run.now);
    tellPause(context, object, run);
    const { uid = "" } = object.metadata;
    const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/demo/vmtemplates/${uid}`;
    const composition: Composition = { key: uid, object, path };
    await writeStatus(context, composition, { conditions, fields: runStatus(run.record, run.step) });
  }

  #remove({ machines }: Life): Promise<Resource[]> {
    this.#mayDie();
    const machine = machines.at(-1);
    if (machine === undefined || machine.retained) return Promise.resolve([]);
    if (machine.deletedAt === null) {
      machine.deletedAt = this.now;
      machine.goneAt = this.now + this.#options.deletionSeconds();
    }
    this.#mayDie();
    return Promise.resolve(
      this.now < (machine.goneAt ?? 0) ? [{ apiVersion: "v1", kind: "Machine", metadata: {} }] : [],
    );
  }

  #mayDie(): void {
    if (this.#options.dies()) throw new Killed();
  }

  #contextOf(): CompositionContext {
    const clock = createServerClock(() => (this.now - this.#elapsedZero) * 1000);
    const client = this.#client((date) => {
      clock.saw(date);
    });
    const installed = this.lives.filter(({ machines }) => machines.length > 0);
    // An object that is restored has another uid, and its name is the one before.
    const byUid = new Map(
      this.lives.flatMap((life) =>
        [life.object.metadata.name, life.object.metadata.uid].map((uid) => [uid ?? "", life]),
      ),
    );
    const { keys } = this.#options;
    const context: Partial<CompositionContext> = {
      ...{
        client,
        keys: keys === undefined ? null : () => keys,
        runs: openRuns(client, "landfall-system"),
        runMetrics: countRuns(),
        boots: { observe: () => Promise.resolve(), known: () => ({}) },
      },
      ...{ graceSeconds: this.#options.graceSeconds, serverSeconds: () => clock.nowSeconds(), resyncSeconds: 180 },
      // Wrong at times: no run begins then, and nothing else depends on it.
      nowSeconds: () =>
        this.now + (this.#options.random() < 0.3 ? Math.round((this.#options.random() - 0.5) * 1e7) : 0),
      releases: new Map(installed.map((life) => [life.object.metadata.uid ?? "", releaseOf(life)])),
      ...{
        uninstalled: new Map(),
        removals: memoryRemovals(),
        retrying: new Map(),
        looks: new Looks(),
        clientIn: () => Promise.resolve(client),
        records: recordsOf(byUid),
      },
      managed: {
        get: ({ entry }: { entry: { path: string } }) => {
          const life = byUid.get(entry.path);
          return life === undefined ? null : liveOf(life);
        },
        release: () => undefined,
      } as unknown as CompositionContext["managed"],
      record: ({ metadata }, { reason }) => {
        byUid.get(metadata.uid ?? "")?.events.push({ at: this.now, reason });
      },
    };
    // Anything else in the context is not there: a use of it fails the test.
    return context as CompositionContext;
  }

  #client(saw: (date: string) => void): KubeClient {
    const call = <T>(work: () => T): Promise<T> => {
      this.#mayDie();
      const answer = work();
      this.#mayDie();
      saw(new Date(Math.floor(this.now) * 1000).toUTCString());
      return Promise.resolve(structuredClone(answer));
    };
    const store = (path: string, body: Resource, creationTimestamp: string): Resource => {
      this.#version += 1;
      const metadata = { ...body.metadata, creationTimestamp, resourceVersion: String(this.#version) };
      const stored = { ...structuredClone(body), metadata };
      this.#secrets.set(path, stored);
      return stored;
    };
    const refuse = (status: number, action: string): never => {
      throw new ApiError(status, { action, detail: "" });
    };
    const client = {
      get: (path: string) =>
        call(() =>
          path.endsWith("/secrets")
            ? {
                apiVersion: "v1",
                kind: "SecretList",
                items: [...this.#secrets.values()],
                metadata: { resourceVersion: "1" },
              }
            : (this.#secrets.get(path) ?? null),
        ),
      create: (collection: string, body: Resource) =>
        call(() => {
          const path = `${collection}/${body.metadata.name ?? ""}`;
          if (this.#secrets.has(path)) return refuse(409, `POST ${path}`);
          return store(path, body, formatTime(this.now));
        }),
      replace: (path: string, body: Resource) =>
        call(() => {
          const present = this.#secrets.get(path);
          if (present === undefined) return refuse(404, `PUT ${path}`);
          if (present.metadata.resourceVersion !== body.metadata.resourceVersion) return refuse(409, `PUT ${path}`);
          return store(path, body, present.metadata.creationTimestamp ?? "");
        }),
      remove: (path: string) => call(() => this.#secrets.delete(path)),
      patch: (path: string, _type: string, { status }: { status: Record<string, unknown> }) =>
        call(() => {
          const life = this.lives.find(({ object }) => path.includes(`/${object.metadata.uid ?? ""}/`));
          if (life !== undefined) life.object = { ...life.object, status: { ...life.object.status, ...status } };
          return life?.object;
        }),
    };
    return client as unknown as KubeClient;
  }
}
