import { below } from "../../cluster/api-path.ts";
import { createInformer } from "../../cluster/create-informer.ts";
import { createWorkQueue, type WorkQueueOptions } from "../../cluster/queue/work-queue.ts";
import { COMPOSITION_GROUP } from "../../model/names.ts";
import { IN_USE_LABEL } from "../keys.ts";
import type { CompositionDefinition, Resource } from "../types.ts";
import type { DefinitionContext } from "./definition-context.ts";
import { CRD_LABEL, CRDS } from "./ensure-crd.ts";
import { followsIn, isInUse, isUsed, type KnownObjects, missingCondition, pluralOf } from "./use-of.ts";
import { writeStatus } from "./write-status.ts";

export interface GuardOptions {
  context: Pick<DefinitionContext, "client" | "nowSeconds" | "log" | "trust">;
  /** The objects of a kind, by its plural; null while it is not watched. */
  objectsOf: (plural: string) => KnownObjects | null;
  /** All of the cluster. */
  definitions: () => CompositionDefinition[];
  /** The CRD of this kind is being deleted, or is gone. */
  onDeleted: (plural: string) => void;
  backoff: WorkQueueOptions["backoff"];
  onFailure: WorkQueueOptions["onFailure"];
  onLost: (path: string, thrown: unknown, failures: number) => void;
}

export interface KindGuard {
  /** There is an object of this kind: marks the kind if it is not marked. */
  saw(plural: string): void;
  /** Marks what is in use now. */
  check(): void;
  /** Whether a definition made the CRD of this kind; null before the CRDs are known. */
  isOwn(plural: string): boolean | null;
  stop(): Promise<void>;
}

/** Ms between two checks. A mark goes this much later than the last object, so that it does not come and go with each. */
const CHECK_MS = 5000;

const NONE: KnownObjects = { objects: [], isCurrent: true };
const NAME_END = `.${COMPOSITION_GROUP}`;
const crdOf = (plural: string): string => plural + NAME_END;

/**
 * Watches the CRDs that definitions made. Marks those whose kind has objects by a label, and their definitions by a condition: the policies
 * of charts/landfall/policies/in-use.yaml refuse to delete what is marked.
 */
export function guardKinds(options: GuardOptions): KindGuard {
  const { context, objectsOf, definitions, onDeleted } = options;
  const { client, log } = context;

  const crds = createInformer({
    ...{ client, path: CRDS, selects: { labels: `${CRD_LABEL.name}=${CRD_LABEL.value}`, metadataOnly: true } },
    onChange(before, now) {
      const { name = "" } = (now ?? before)?.metadata ?? {};
      if (!name.endsWith(NAME_END)) return;
      const isGone = now === null || now.metadata.deletionTimestamp !== undefined;
      if (isGone) log.warn({ crd: name, gone: now === null }, "the CRD of a kind is deleted");
      if (isGone) onDeleted(name.slice(0, -NAME_END.length));
      mark();
    },
    onFailure: (thrown, failures) => {
      options.onLost(CRDS, thrown, failures);
    },
  });

  /** Null while it is not known. A kind without a CRD has no objects. */
  function known(plural: string): KnownObjects | null {
    const found = objectsOf(plural);
    if (found !== null || !crds.isCurrent()) return found;
    return crds.lister.get("", crdOf(plural)) === undefined ? NONE : null;
  }

  const isMarked = ({ metadata }: Pick<Resource, "metadata">): boolean => metadata.labels?.[IN_USE_LABEL] === "true";

  async function markCrds(): Promise<void> {
    for (const crd of crds.lister.list()) {
      const { name = "", deletionTimestamp } = crd.metadata;
      const found = name.endsWith(NAME_END) ? known(name.slice(0, -NAME_END.length)) : null;
      const inUse = found === null || deletionTimestamp !== undefined ? null : isInUse(found);
      if (inUse === null || inUse === isMarked(crd)) continue;
      const labels = { [IN_USE_LABEL]: inUse ? "true" : null };
      await client.patch(below(CRDS, name), "merge", { metadata: { labels } });
    }
  }

  async function markDefinitions(): Promise<void> {
    const all = definitions();
    const used = all.filter((one) => isUsed(context, one));
    for (const definition of all) {
      const plural = pluralOf(definition);
      const found = plural === null || !used.includes(definition) ? NONE : known(plural);
      const inUse = found === null ? null : isInUse(found, followsIn(definition, used));
      const missing = missingCondition(definition, inUse);
      if (missing !== null) await writeStatus(context, definition, [missing], {});
    }
  }

  const marks = createWorkQueue({
    ...{ workers: 1, backoff: options.backoff, onFailure: options.onFailure },
    async handle() {
      await markCrds();
      await markDefinitions();
      return { requeueAfter: CHECK_MS };
    },
  });
  const mark = (): void => {
    marks.add("kinds in use");
  };
  mark();

  return {
    saw(plural) {
      const crd = crds.lister.get("", crdOf(plural));
      if (crd !== undefined && !isMarked(crd)) mark();
    },
    check: mark,
    isOwn: (plural) => (crds.isCurrent() ? crds.lister.get("", crdOf(plural)) !== undefined : null),
    async stop() {
      crds.stop();
      await marks.drain();
    },
  };
}
