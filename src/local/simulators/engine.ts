import type { WatchedKind } from "../../cluster/create-group-informer.ts";
import type { ApiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { objectPath } from "../../cluster/discover.ts";
import { createWorkQueue, DONE, type Result, type WorkQueue } from "../../cluster/queue/work-queue.ts";
import { messageOf } from "../../errors.ts";
import { actedOn, decidePhase, stateOf, type Job, type World } from "./decide-phase.ts";
import { deletionStep, leftOf } from "./deletion-step.ts";
import { MachineEnds, refusedAgain, Retries } from "./operator-times.ts";
import { ResourceIndex, groupOf, keyOf } from "./resource-index.ts";
import { ResourceWriter } from "./resource-writer.ts";
import type { EngineOptions, Family, KindRule, Phase, Resource, Shutdown, Subject } from "./types.ts";

/** Resources that are written at the same time: enough to keep the API server busy, few enough to not delay others. */
const WRITERS = 8;
const BACKOFF = { firstMs: 1_000, maxMs: 1_000 };
/** A resource that is ready within this time gets no intermediate status: one write less. */
const WORTH_TELLING_MS = 300;
/** A resource that waits for another one writes that only after this time: by then, most wait no longer. */
const PATIENCE_MS = 2_000;

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
  readonly #ends: MachineEnds;
  readonly #retries: Retries;
  /** uid -> a digest of what the operator last acted on. */
  readonly #acted = new Map<string, string>();

  constructor(client: KubeClient, options: EngineOptions) {
    this.#options = options;
    this.#ends = new MachineEnds(options.speed);
    this.#retries = new Retries(options.speed);
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

  readonly #isReady = (resource: Resource): boolean => this.#subjectOf(resource)?.family.isReady(resource) ?? true;

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
    for (const kept of [this.#jobs, this.#settled]) kept.delete(resource.metadata.uid);
    for (const kept of [this.#ends, this.#retries]) kept.forget(resource.metadata.uid);
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
    return this.#isSettled(subject) ? this.#rest(subject) : this.#advance(subject);
  }

  /** Whether this generation is finished. After a restart, the status decides. */
  #isSettled({ resource, family }: Subject): boolean {
    const { uid } = resource.metadata;
    const settled = this.#settled.get(uid);
    if (settled !== undefined) return settled === stateOf(resource, family);
    if (this.#jobs.has(uid) || !(family.isReady(resource) || family.isRefused(resource))) return false;
    this.#settled.set(uid, stateOf(resource, family));
    return true;
  }

  async #advance(subject: Subject): Promise<Result> {
    const decided = this.#decide(subject);
    if (decided.phase.name === "waiting") return this.#wait(subject, decided.phase);
    const end = decided.phase.name === "ready" ? this.#ends.seen(subject, this.#options.nowMs()) : null;
    const [phase, until] = [refusedAgain(end) ?? decided.phase, decided.until];
    const resource = await this.#own(subject, phase, end);
    if (resource === null) return DONE;
    const left = (): number | null => (until === null ? null : Math.max(0, until - this.#options.nowMs()));
    if ((left() ?? Infinity) > WORTH_TELLING_MS) await this.#tell({ ...subject, resource }, phase, end?.status);
    if (until !== null) return { requeueAfter: left() };
    await this.#settle({ ...subject, resource }, phase, end !== null);
    return this.#rest({ ...subject, resource: this.#index.get(keyOf(resource)) ?? resource });
  }

  /** Claims the resource, and writes into the spec of one that is ready now. Null: a newer event follows. */
  async #own(subject: Subject, phase: Phase, end: Shutdown | null): Promise<Resource | null> {
    const resource = await this.#writer.claim(subject, this.#index.ownerReferences(subject.resource));
    if (resource === null || phase.name !== "ready") return resource;
    return this.#writer.writeBack({ ...subject, resource }, end?.again !== undefined);
  }

  readonly #time = () => ({ nowMs: this.#options.nowMs(), speed: this.#options.speed });

  #worldOf(subject: Subject): World {
    const isReady = this.#isReady;
    const isDone = this.#acted.get(subject.resource.metadata.uid) === actedOn(subject.resource, subject.rule);
    return { ...subject, ...this.#index.around(subject.resource), offers: this.#options.offers, isReady, isDone };
  }

  /** Decides the phase; the first time for a generation the provider's work begins. */
  #decide(subject: Subject): ReturnType<typeof decidePhase> {
    const { uid, generation = 1 } = subject.resource.metadata;
    const [known, time] = [this.#jobs.get(uid), this.#time()];
    const job = known?.generation === generation ? known : null;
    const decided = decidePhase(subject.resource, this.#worldOf(subject), job, time);
    if (decided.until !== null && job === null) this.#jobs.set(uid, { generation, startedAt: time.nowMs });
    return decided;
  }

  async #wait(subject: Subject, phase: Phase): Promise<Result> {
    const created = Date.parse(subject.resource.metadata.creationTimestamp ?? "");
    const patience = created + PATIENCE_MS / this.#options.speed - this.#options.nowMs();
    if (patience > 0) return { requeueAfter: patience };
    await this.#tell(subject, phase);
    return DONE;
  }

  async #tell(subject: Subject, phase: Phase, fields: Record<string, unknown> = {}): Promise<void> {
    const more = phase.name === "ready" ? fields : {};
    await this.#writer.tell(subject, phase, { lookup: this.#index.lookup, ...this.#time(), more });
  }

  async #settle({ resource, ...subject }: Subject, phase: Phase, isOver: boolean): Promise<void> {
    const { uid, namespace, name } = resource.metadata;
    this.#jobs.delete(uid);
    this.#settled.set(uid, stateOf(resource, subject.family));
    const at = this.#options.nowMs();
    if (phase.name === "ready") {
      const acted = actedOn(resource, subject.rule);
      this.#ends.looked(uid, this.#acted.get(uid) !== acted && !isOver, at);
      this.#retries.forget(uid);
      this.#acted.set(uid, acted);
    }
    if (phase.name !== "refused") return;
    this.#retries.failed(uid, subject.family.backoff, at);
    this.#options.log("refused", { kind: resource.kind, namespace, name, code: phase.refusal.code });
    const { releasesRefused = false, exists } = subject.family;
    if (!releasesRefused || exists(resource)) return;
    const now = { ...subject, resource: this.#index.get(keyOf(resource)) ?? resource };
    await this.#writer.release(now, leftOf(phase.refusal, now, this.#index.lookup));
  }

  /** The operator's work on a resource that is done: it looks at a machine again, or tries again what was refused. */
  #rest(subject: Subject): Promise<Result> | Result {
    const { resource, family } = subject;
    if (family.isRefused(resource)) return family.givesUp(resource) ? DONE : this.#retry(subject);
    const left = family.isReady(resource) ? this.#ends.left(subject, this.#options.nowMs()) : null;
    return left === 0 ? this.#again(subject) : { requeueAfter: left };
  }

  #again(subject: Subject): Promise<Result> {
    this.#settled.delete(subject.resource.metadata.uid);
    return this.#advance(subject);
  }

  /** Tries again what was refused, when it is time. The status stays until the provider has answered. */
  async #retry(subject: Subject): Promise<Result> {
    const { uid, generation = 1 } = subject.resource.metadata;
    const at = this.#options.nowMs();
    const left = this.#retries.left(uid, at);
    if (left === null) this.#retries.failed(uid, subject.family.backoff, at);
    if (left !== 0) return { requeueAfter: this.#retries.left(uid, at) };
    const job = { generation, startedAt: -Infinity };
    const { phase } = decidePhase(subject.resource, this.#worldOf(subject), job, this.#time());
    const refused = phase.name === "ready" ? refusedAgain(this.#ends.seen(subject, at)) : phase;
    if (refused?.name !== "refused") return this.#again(subject);
    await this.#tell(subject, { ...refused, attempt: this.#retries.times(uid) });
    this.#retries.failed(uid, subject.family.backoff, at);
    return { requeueAfter: this.#retries.left(uid, at) };
  }

  async #delete(subject: Subject): Promise<Result> {
    const step = deletionStep(subject, this.#index, this.#time());
    if (step.action === "wait") {
      if (subject.family.tellsDeletion === true) await this.#tell(subject, { name: "deleting" });
      return { requeueAfter: step.milliseconds };
    }
    if (step.action === "tell") await this.#tell(subject, step.phase);
    if (step.action !== "release") return DONE;
    if (step.left) this.#options.log("left at the provider", { resource: keyOf(subject.resource) });
    await this.#writer.release(subject, step.left);
    return DONE;
  }
}
