import { conditionsOf } from "../../model/kubernetes.ts";
import { COMPOSITION_LABEL } from "../../model/names.ts";
import type { CompositionDefinition, ConditionInput, Resource } from "../types.ts";
import type { DefinitionContext } from "./definition-context.ts";
import { condition } from "./write-status.ts";

/** The objects of a kind, as far as they are known. */
export interface KnownObjects {
  objects: readonly Resource[];
  /** Whether there are no others. */
  isCurrent: boolean;
}

/** Whether a definition counts: those of other namespaces are not used. */
export const isUsed = ({ trust }: Pick<DefinitionContext, "trust">, { metadata }: CompositionDefinition): boolean =>
  trust.namespaces.includes(metadata.namespace ?? "");

/** The plural of the kind that a definition serves or served; null if it never served one. */
export function pluralOf({ status }: CompositionDefinition): string | null {
  const resource = status?.["resource"];
  return typeof resource === "string" && resource !== "" ? resource : null;
}

/** Whether there is an object that counts; null where that is not known yet. */
export function isInUse(known: KnownObjects, counts: (object: Resource) => boolean = () => true): boolean | null {
  if (known.objects.some(counts)) return true;
  return known.isCurrent ? false : null;
}

const idOf = (namespace = "", name = ""): string => `${namespace}/${name}`;

/**
 * Whether an object follows a definition: every object of its kind, but those that another definition of the kind installs. Users can
 * write any labels, so that one that names no definition frees none.
 */
export function followsIn(
  definition: CompositionDefinition,
  all: readonly CompositionDefinition[],
): (object: Resource) => boolean {
  const { namespace, name } = definition.metadata;
  const own = idOf(namespace, name);
  const others = new Set(
    all
      .filter((other) => pluralOf(other) === pluralOf(definition))
      .map(({ metadata }) => idOf(metadata.namespace, metadata.name))
      .filter((id) => id !== own),
  );
  return ({ metadata: { labels = {} } }) =>
    !others.has(idOf(labels[COMPOSITION_LABEL.definitionNamespace], labels[COMPOSITION_LABEL.definitionName]));
}

const IN_USE = "InUse";

/**
 * The condition of a definition that its status lacks; null for none. A ValidatingAdmissionPolicy refuses the deletion of a definition that
 * is in use. One that was never used has no such condition.
 */
export function missingCondition(definition: CompositionDefinition, inUse: boolean | null): ConditionInput | null {
  const said = conditionsOf(definition).find(({ type }) => type === IN_USE)?.status === "True";
  if (inUse === null || inUse === said) return null;
  return inUse
    ? condition(IN_USE, true, "ObjectsExist", "objects follow it: its deletion is refused")
    : condition(IN_USE, false, "NoObjects", "");
}
