import { messageOf } from "../../errors.ts";
import { decidePhase, stateOf, type Job } from "./decide-phase.ts";
import { deletionStep } from "./deletion-step.ts";
import { KeyQueue } from "./key-queue.ts";
import type { KubeApi } from "./kube-api.ts";
import { ResourceIndex, groupOf, keyOf } from "./resource-index.ts";
import { ResourceWriter } from "./resource-writer.ts";
import type { Family, KindRule, Offers, Phase, Resource, Subject } from "./types.ts";
import type { Collection, KindEvents } from "./watch-kind.ts";

/** Resources that are written at a time: enough to keep the API server busy, few enough to leave room for others. */
const WRITERS = 8;
const RETRY_MS = 1_000;
/** A resource that is ready this soon gets no status in between: one write less. */
const WORTH_TELLING_MS = 300;
/** What waits for another resource says so only after this time: in an install of many, most have gone on by then. */
const PATIENCE_MS = 2_000;

export interface EngineOptions {
  families: readonly Family[];
  offers: Offers;
  speed: number;
  /** Milliseconds since 1970. */
  clock: () => number;
  log: (event: string, fields: Record<string, unknown>) => void;
}

/** Plays the operators: keeps an index of all resources, decides where each stands, and writes what its operator would. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #index: ResourceIndex;
  readonly #writer: ResourceWriter;
  readonly #queue = new KeyQueue(WRITERS, (key) => this.#work(key));
  readonly #rules = new Map<string, { family: Family; rule: KindRule }>();
  readonly #collections = new Map<string, Collection>();
  /** uid -> what the provider is doing. */
  readonly #jobs = new Map<string, Job>();
  /** uid -> state for which the operator has nothing left to do. */
  readonly #settled = new Map<string, string>();

  constructor(api: KubeApi, options: EngineOptions) {
    this.#options = options;
    for (const family of options.families) {
      for (const rule of family.kinds) this.#rules.set(`${rule.group}/${rule.kind}`, { family, rule });
    }
    this.#index = new ResourceIndex((resource) => {
      const subject = this.#subjectOf(resource);
      return subject ? subject.family.references(resource, subject.rule) : [];
    });
    const pathOf = (resource: Resource): string | null => this.#pathOf(resource);
    this.#writer = new ResourceWriter(api, pathOf, (written) => {
      this.#keep(written);
    });
  }

  /** What to do with the events of a kind; null for a kind that no family plays. */
  follow(group: string, collection: Collection): KindEvents | null {
    const kind = `${group}/${collection.kind}`;
    if (!this.#rules.has(kind)) return null;
    this.#collections.set(kind, collection);
    return {
      onList: (resources) => {
        for (const gone of this.#index.missing(kind, resources)) this.#forget(gone);
        for (const resource of resources) this.#keep(resource);
      },
      onChange: (resource) => {
        this.#keep(resource);
      },
      onDelete: (resource) => {
        this.#forget(resource);
      },
      onTrouble: (detail) => {
        this.#options.log("watch", { kind, detail });
      },
    };
  }

  stop(): void {
    this.#queue.stop();
  }

  #subjectOf(resource: Resource): Subject | null {
    const found = this.#rules.get(`${groupOf(resource)}/${resource.kind}`);
    return found ? { ...found, resource } : null;
  }

  #pathOf(resource: Resource): string | null {
    const collection = this.#collections.get(`${groupOf(resource)}/${resource.kind}`);
    if (collection === undefined) return null;
    const { namespace, name } = resource.metadata;
    const [prefix = "", plural = ""] = collection.path.split(/\/(?=[^/]+$)/);
    return `${prefix}/namespaces/${namespace}/${plural}/${name}`;
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
    // What it refers to may have waited for its end, what refers to it has lost it.
    this.#wake([...this.#index.dependents(keyOf(resource)), ...this.#index.referencedBy(resource)]);
    this.#index.delete(resource);
    this.#jobs.delete(resource.metadata.uid);
    this.#settled.delete(resource.metadata.uid);
  }

  #wake(keys: readonly string[]): void {
    // Not at once: the index is about to change.
    queueMicrotask(() => {
      for (const key of keys) this.#queue.add(key);
    });
  }

  async #work(key: string): Promise<void> {
    const resource = this.#index.get(key);
    const subject = resource && this.#subjectOf(resource);
    if (!subject) return;
    try {
      if (subject.resource.metadata.deletionTimestamp !== undefined) await this.#delete(subject, key);
      else if (!this.#isSettled(subject)) await this.#advance(subject, key);
    } catch (thrown) {
      this.#options.log("write failed", { resource: key, detail: messageOf(thrown) });
      this.#queue.addLater(key, RETRY_MS);
    }
  }

  /** Nothing to do for this generation. After a restart what the status says holds. */
  #isSettled({ resource, family }: Subject): boolean {
    const { uid } = resource.metadata;
    const settled = this.#settled.get(uid);
    if (settled !== undefined) return settled === stateOf(resource);
    if (this.#jobs.has(uid) || !(family.isReady(resource) || family.isRefused(resource))) return false;
    this.#settled.set(uid, stateOf(resource));
    return true;
  }

  async #advance(subject: Subject, key: string): Promise<void> {
    const { phase, until } = this.#decide(subject);
    if (phase.name === "waiting") {
      await this.#wait(subject, phase, key);
      return;
    }
    const resource = await this.#writer.claim(subject, this.#index.ownerReferences(subject.resource));
    if (resource === null) return;
    const left = until === null ? null : until - this.#options.clock();
    if (left !== null) this.#queue.addLater(key, Math.max(0, left));
    if (left === null || left > WORTH_TELLING_MS) await this.#tell({ ...subject, resource }, phase);
    if (left === null) this.#settle(resource, phase);
  }

  /** Decides the phase; the first time for a generation the provider's work begins. */
  #decide(subject: Subject): ReturnType<typeof decidePhase> {
    const { uid, generation = 1 } = subject.resource.metadata;
    const { offers, speed, clock } = this.#options;
    const world = {
      ...subject,
      lookup: this.#index.lookup,
      offers,
      isReady: (other: Resource) => this.#isReady(other),
    };
    const known = this.#jobs.get(uid);
    const job = known?.generation === generation ? known : null;
    const nowMs = clock();
    const decided = decidePhase(subject.resource, world, job, { nowMs, speed });
    if (decided.until !== null && job === null) this.#jobs.set(uid, { generation, startedAt: nowMs });
    return decided;
  }

  async #wait(subject: Subject, phase: Phase, key: string): Promise<void> {
    const { speed, clock } = this.#options;
    const created = Date.parse(subject.resource.metadata.creationTimestamp ?? "");
    const patience = created + PATIENCE_MS / speed - clock();
    if (patience > 0) this.#queue.addLater(key, patience);
    else await this.#tell(subject, phase);
  }

  async #tell(subject: Subject, phase: Phase): Promise<void> {
    await this.#writer.tell(subject, phase, this.#index.lookup, this.#options.clock());
  }

  #settle(resource: Resource, phase: Phase): void {
    const { uid, namespace, name } = resource.metadata;
    this.#jobs.delete(uid);
    this.#settled.set(uid, stateOf(resource));
    if (phase.name !== "refused") return;
    this.#options.log("refused", { kind: resource.kind, namespace, name, code: phase.refusal.code });
  }

  async #delete(subject: Subject, key: string): Promise<void> {
    const { speed, clock } = this.#options;
    const blocker = this.#index.blocker(subject.resource, subject.family);
    const step = deletionStep(subject, blocker, { nowMs: clock(), speed });
    if (step.action === "wait") this.#queue.addLater(key, step.milliseconds);
    if (step.action === "tell") await this.#tell(subject, step.phase);
    if (step.action === "release") await this.#writer.release(subject);
  }
}
