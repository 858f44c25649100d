import type { WatchedKind } from "../../cluster/create-group-informer.ts";
import type { ApiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { objectPath } from "../../cluster/discover.ts";
import { createWorkQueue, DONE, type Result, type WorkQueue } from "../../cluster/work-queue.ts";
import { messageOf } from "../../errors.ts";
import { actedOn, decidePhase, stateOf, type Job } from "./decide-phase.ts";
import { deletionStep } from "./deletion-step.ts";
import { ResourceIndex, groupOf, keyOf } from "./resource-index.ts";
import { ResourceWriter } from "./resource-writer.ts";
import type { Family, KindRule, Offers, Phase, Resource, Subject } from "./types.ts";

/** Resources that are written at the same time: enough to keep the API server busy, few enough to leave room for others. */
const WRITERS = 8;
const BACKOFF = { firstMs: 1_000, maxMs: 1_000 };
/** A resource that is ready within this time gets no intermediate status: one write less. */
const WORTH_TELLING_MS = 300;
/** A resource that waits for another one writes that only after this time: by then, most wait no longer. */
const PATIENCE_MS = 2_000;

export interface EngineOptions {
  families: readonly Family[];
  offers: Offers;
  speed: number;
  /** Milliseconds since 1970. */
  nowMs: () => number;
  log: (event: string, fields: Record<string, unknown>) => void;
}

/** Simulates the operators: keeps an index of all resources, decides the phase of each, and writes what its operator would. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #index: ResourceIndex;
  readonly #writer: ResourceWriter;
  readonly #queue: WorkQueue;
  readonly #rules = new Map<string, { family: Family; rule: KindRule }>();
  readonly #watched = new Map<string, WatchedKind>();
  /** uid -> what the provider is doing. */
  readonly #jobs = new Map<string, Job>();
  /** uid -> the state for which the operator has finished. */
  readonly #settled = new Map<string, string>();
  /** uid -> since when it is ready, in milliseconds since 1970. */
  readonly #readyAt = new Map<string, number>();
  /** uid -> a digest of what the operator last acted on. */
  readonly #acted = new Map<string, string>();

  constructor(client: KubeClient, options: EngineOptions) {
    this.#options = options;
    for (const family of options.families) {
      for (const rule of family.kinds) this.#rules.set(`${rule.group}/${rule.kind}`, { family, rule });
    }
    this.#index = new ResourceIndex((resource) => {
      const subject = this.#subjectOf(resource);
      return subject ? subject.family.references(resource, subject.rule) : [];
    });
    const pathOf = (resource: Resource): ApiPath | null => this.#pathOf(resource);
    this.#writer = new ResourceWriter(client, pathOf, (written) => {
      this.#keep(written);
    });
    this.#queue = createWorkQueue({
      workers: WRITERS,
      backoff: BACKOFF,
      handle: (key) => this.#handle(key),
      onFailure: (key, thrown) => {
        options.log("write failed", { resource: key, detail: messageOf(thrown) });
      },
    });
  }

  /** Whether a family simulates this kind. */
  simulates(group: string, kind: string): boolean {
    return this.#rules.has(`${group}/${kind}`);
  }

  /** Handles an event of an informer: `before` is null for a new resource, `now` for a deleted one. */
  onChange(watched: WatchedKind, before: Resource | null, now: Resource | null): void {
    const resource = now ?? before;
    if (resource === null) return;
    this.#watched.set(`${groupOf(resource)}/${resource.kind}`, watched);
    if (before !== null && before.metadata.uid !== now?.metadata.uid) this.#forget(before);
    if (now !== null) this.#keep(now);
  }

  stop(): Promise<void> {
    return this.#queue.drain();
  }

  #subjectOf(resource: Resource): Subject | null {
    const found = this.#rules.get(`${groupOf(resource)}/${resource.kind}`);
    return found ? { ...found, resource } : null;
  }

  #pathOf(resource: Resource): ApiPath | null {
    const watched = this.#watched.get(`${groupOf(resource)}/${resource.kind}`);
    const { namespace, name } = resource.metadata;
    return watched ? objectPath(watched.apiVersion, watched.resource, namespace, name) : null;
  }

  #isReady(resource: Resource): boolean {
    return this.#subjectOf(resource)?.family.isReady(resource) ?? true;
  }

  #keep(resource: Resource): void {
    const before = this.#index.get(keyOf(resource));
    if (!this.#index.set(resource)) return;
    this.#queue.add(keyOf(resource));
    const changed = before === undefined || this.#isReady(before) !== this.#isReady(resource);
    if (changed) this.#wake(this.#index.dependents(keyOf(resource)));
  }

  #forget(resource: Resource): void {
    // Resources that it refers to may wait for its deletion; resources that refer to it have lost it.
    this.#wake([...this.#index.dependents(keyOf(resource)), ...this.#index.referencedBy(resource)]);
    this.#index.delete(resource);
    this.#jobs.delete(resource.metadata.uid);
    this.#settled.delete(resource.metadata.uid);
    this.#readyAt.delete(resource.metadata.uid);
    this.#acted.delete(resource.metadata.uid);
  }

  #wake(keys: readonly string[]): void {
    // Later, because the index is about to change.
    queueMicrotask(() => {
      for (const key of keys) this.#queue.add(key);
    });
  }

  async #handle(key: string): Promise<Result> {
    const resource = this.#index.get(key);
    const subject = resource && this.#subjectOf(resource);
    if (!subject) return DONE;
    if (resource.metadata.deletionTimestamp !== undefined) return this.#delete(subject);
    return this.#isSettled(subject) ? this.#shutDown(subject) : this.#advance(subject);
  }

  /** Whether this generation is finished. After a restart, the status decides. */
  #isSettled({ resource, family }: Subject): boolean {
    const { uid } = resource.metadata;
    const settled = this.#settled.get(uid);
    if (settled !== undefined) return settled === stateOf(resource);
    if (this.#jobs.has(uid) || !(family.isReady(resource) || family.isRefused(resource))) return false;
    this.#settled.set(uid, stateOf(resource));
    return true;
  }

  async #advance(subject: Subject): Promise<Result> {
    const { phase, until } = this.#decide(subject);
    if (phase.name === "waiting") return this.#wait(subject, phase);
    const claimed = await this.#writer.claim(subject, this.#index.ownerReferences(subject.resource));
    if (claimed === null) return DONE;
    const resource = phase.name === "ready" ? await this.#writer.writeBack({ ...subject, resource: claimed }) : claimed;
    if (resource === null) return DONE;
    const left = (): number | null => (until === null ? null : Math.max(0, until - this.#options.nowMs()));
    if ((left() ?? Infinity) > WORTH_TELLING_MS) await this.#tell({ ...subject, resource }, phase);
    if (until === null) {
      await this.#settle({ ...subject, resource }, phase);
      if (phase.name === "ready") return this.#shutDown({ ...subject, resource });
    }
    return { requeueAfter: left() };
  }

  /** Decides the phase; the first time for a generation the provider's work begins. */
  #decide(subject: Subject): ReturnType<typeof decidePhase> {
    const { uid, generation = 1 } = subject.resource.metadata;
    const { offers, speed, nowMs } = this.#options;
    const world = {
      ...subject,
      lookup: this.#index.lookup,
      offers,
      isReady: (other: Resource) => this.#isReady(other),
      isDone: this.#acted.get(uid) === actedOn(subject.resource, subject.rule),
    };
    const known = this.#jobs.get(uid);
    const job = known?.generation === generation ? known : null;
    const at = nowMs();
    const decided = decidePhase(subject.resource, world, job, { nowMs: at, speed });
    if (decided.until !== null && job === null) this.#jobs.set(uid, { generation, startedAt: at });
    return decided;
  }

  async #wait(subject: Subject, phase: Phase): Promise<Result> {
    const { speed, nowMs } = this.#options;
    const created = Date.parse(subject.resource.metadata.creationTimestamp ?? "");
    const patience = created + PATIENCE_MS / speed - nowMs();
    if (patience > 0) return { requeueAfter: patience };
    await this.#tell(subject, phase);
    return DONE;
  }

  async #tell(subject: Subject, phase: Phase): Promise<void> {
    await this.#writer.tell(subject, phase, this.#index.lookup, this.#options.nowMs());
  }

  async #settle({ resource, ...subject }: Subject, phase: Phase): Promise<void> {
    const { uid, namespace, name } = resource.metadata;
    this.#jobs.delete(uid);
    this.#settled.set(uid, stateOf(resource));
    this.#readyAt.set(uid, this.#options.nowMs());
    if (phase.name === "ready") this.#acted.set(uid, actedOn(resource, subject.rule));
    if (phase.name !== "refused") return;
    this.#options.log("refused", { kind: resource.kind, namespace, name, code: phase.refusal.code });
    const { releasesRefused = false, exists } = subject.family;
    if (releasesRefused && !exists(resource)) await this.#writer.release({ ...subject, resource });
  }

  /** Shows the end of a machine that ends by itself, when its time has come. */
  async #shutDown(subject: Subject): Promise<Result> {
    const { resource, family, rule } = subject;
    const ends = family.isReady(resource) ? (rule.shutdown?.(resource) ?? null) : null;
    if (ends === null) return DONE;
    const { speed, nowMs } = this.#options;
    const { uid } = resource.metadata;
    const since = this.#readyAt.get(uid) ?? nowMs();
    this.#readyAt.set(uid, since);
    const left = since + (ends.seconds * 1000) / speed - nowMs();
    if (left > 0) return { requeueAfter: left };
    await this.#writer.show(resource, ends.status);
    return DONE;
  }

  async #delete(subject: Subject): Promise<Result> {
    const { speed, nowMs } = this.#options;
    const blocker = this.#index.blocker(subject.resource, subject.family);
    const step = deletionStep(subject, blocker, { nowMs: nowMs(), speed });
    if (step.action === "wait") {
      if (subject.family.tellsDeletion === true) await this.#tell(subject, { name: "deleting" });
      return { requeueAfter: step.milliseconds };
    }
    if (step.action === "tell") await this.#tell(subject, step.phase);
    if (step.action === "release") await this.#writer.release(subject);
    return DONE;
  }
}
