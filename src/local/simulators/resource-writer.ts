import { hasStatus } from "../../cluster/client/api-error.ts";
import { type ApiPath, apiPath, below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { APPLIED, appliedFields } from "./decide-phase.ts";
import { RUNNING } from "./pool-versions.ts";
import { valueAt } from "./fields.ts";
import { nextStatus } from "./next-status.ts";
import type { Family, KindRule, Left, Lookup, OwnerReference, Phase, Resource, Subject } from "./types.ts";

/** Null if the resource is gone or was changed meanwhile: an event of its informer follows. */
function ifGone(thrown: unknown): null {
  if (hasStatus(thrown, 404) || hasStatus(thrown, 409)) return null;
  throw thrown;
}

const finalizersOf = ({ finalizer, moreFinalizers = [] }: Family): string[] => [finalizer, ...moreFinalizers];

/** The annotations with what the provider has from now on (version, type or size, and more), as far as they differ; null for none. */
function remembered(resource: Resource, rule: KindRule): Record<string, string> | null {
  const path = rule.endless?.(resource) === true ? undefined : rule.version;
  const value = path === undefined ? undefined : valueAt(resource.spec, path);
  const version = typeof value === "string" || typeof value === "number" ? String(value) : null;
  const { annotations = {} } = resource.metadata;
  const found = Object.entries({ [RUNNING]: version, ...rule.remembers?.(resource) }).flatMap(([name, text]) =>
    text === null || text === annotations[name] ? [] : [[name, text] as const],
  );
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** Whether a resource that is there is not claimed again: it has the finalizer, or lost it with its creation. */
const isClaimed = (isNew: boolean, { releasesRefused = false }: Family): boolean => !isNew || releasesRefused;

/** Writes what an operator writes into its resources: finalizer and owner, status, and the finalizer away again. */
export class ResourceWriter {
  readonly #client: KubeClient;
  /** Path of the collection of a resource; null if its kind is not watched. */
  readonly #pathOf: (resource: Resource) => ApiPath | null;
  readonly #keep: (written: Resource) => void;

  /** `keep` receives each written resource. */
  constructor(client: KubeClient, pathOf: (resource: Resource) => ApiPath | null, keep: (written: Resource) => void) {
    this.#client = client;
    this.#pathOf = pathOf;
    this.#keep = keep;
  }

  /** Called before the provider creates it: writes finalizer, owners and immutable fields. Null: a newer event follows. */
  async claim({ resource, family, rule }: Subject, owners: OwnerReference[] | null): Promise<Resource | null> {
    const { finalizers = [], annotations = {}, resourceVersion = "" } = resource.metadata;
    const applied = appliedFields(resource, rule);
    const isNew = !finalizers.includes(family.finalizer);
    if (family.exists(resource) ? isClaimed(isNew, family) : !isNew && annotations[APPLIED] === applied)
      return resource;
    return this.#patch(resource, null, {
      metadata: {
        resourceVersion,
        finalizers: isNew ? [...finalizers, ...finalizersOf(family)] : finalizers,
        annotations: { [APPLIED]: applied },
        ...(owners === null ? {} : { ownerReferences: owners }),
      },
    });
  }

  /**
   * Writes into the spec of a new resource, or of one that is created `again`, what the operator found, and which version runs. The
   * resource as it is then; null: a newer event follows.
   */
  async writeBack({ resource, family, rule }: Subject, again: boolean): Promise<Resource | null> {
    const spec = again || !family.exists(resource) ? (rule.writeBack?.(resource) ?? null) : null;
    const annotations = remembered(resource, rule);
    if (spec === null && annotations === null) return resource;
    const { resourceVersion = "" } = resource.metadata;
    const metadata = { resourceVersion, ...(annotations === null ? {} : { annotations }) };
    return this.#patch(resource, null, spec === null ? { metadata } : { metadata, spec });
  }

  /** `more`: fields of status besides those of its kind. */
  async tell(
    subject: Subject,
    phase: Phase,
    { lookup, nowMs, more }: { lookup: Lookup; nowMs: number; more: Record<string, unknown> },
  ): Promise<void> {
    if (phase.name === "ready") await this.#writeSecret(subject);
    const status = nextStatus(subject, phase, { lookup, nowMs, more });
    if (status !== null) await this.#patch(subject.resource, "status", { status });
  }

  /** Lets the API server delete the resource. What stays at the provider is remembered by who still has it. */
  async release({ resource, family }: Subject, lost?: Left): Promise<void> {
    if (lost && lost.holder !== null)
      await this.#patch(lost.holder, null, { metadata: { annotations: lost.annotations } });
    const { finalizers = [], resourceVersion = "" } = resource.metadata;
    const left = finalizers.filter((finalizer) => !finalizersOf(family).includes(finalizer));
    await this.#patch(resource, null, { metadata: { resourceVersion, finalizers: left } });
  }

  /** Called before the resource is ready, so that its users find the Secret. It is deleted with the resource. */
  async #writeSecret({ resource, rule }: Subject): Promise<void> {
    const secret = rule.secret?.(resource) ?? null;
    if (secret === null) return;
    const { apiVersion, kind, metadata } = resource;
    const { namespace, name, uid } = metadata;
    const path = apiPath`/api/v1/namespaces/${namespace}/secrets/${secret.name}`;
    const body = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secret.name, namespace, ownerReferences: [{ apiVersion, kind, name, uid }] },
      data: { [secret.key]: Buffer.from(secret.value).toString("base64") },
    };
    await this.#client.patch(path, "apply", body, { fieldManager: "simulators", force: true });
  }

  async #patch(resource: Resource, subresource: "status" | null, patch: unknown): Promise<Resource | null> {
    const own = this.#pathOf(resource);
    if (own === null) return null;
    const path = subresource === null ? own : below(own, subresource);
    const answer = await this.#client.patch<object>(path, "merge", patch).catch(ifGone);
    if (answer === null) return null;
    const { apiVersion, kind, spec } = resource;
    const written = { spec, ...answer, apiVersion, kind } as Resource;
    this.#keep(written);
    return written;
  }
}
