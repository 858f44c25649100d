import type { DecisionOwners } from "../model/decision-annotation/standing.ts";
import type { ReleaseMark } from "../model/decision-annotation/system-secrets.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";
import type { PlaceKey } from "../model/workload.ts";

/** What Landfall's own namespace tells of decisions, one object of it at a time. Null: it is gone. */
export type DecisionEvent =
  | { type: "binding"; id: string; uid: string | null }
  | { type: "release"; record: string; installed: ReleaseMark | null };

/** An index of which object has which decision. */
export interface DecisionIndex extends Omit<DecisionOwners, "isUnderway"> {
  /** Whether an object with this id exists. */
  isUsed(id: string): boolean;
  apply(event: DecisionEvent): void;
  /** The object with this key has the decision with this id, or none. */
  put(key: string, id: string | null | undefined): void;
  snapshot(): DecisionEvent[];
}

const objectOf = (kind: string, namespace: string, name: string): string => `${kind}/${namespace}/${name}`;

/** An index that knows nothing. */
export function createDecisionIndex(): DecisionIndex {
  const bindings = new Map<string, string>();
  const releases = new Map<string, ReleaseMark>();
  const ids = new Map<string, string>();
  /** Id -> keys of the objects that have it. More than one is a copy. */
  const users = new Map<string, Set<string>>();

  function put(key: string, id: string | null | undefined): void {
    const before = ids.get(key);
    if (before === (id ?? undefined)) return;
    if (before !== undefined) {
      users.get(before)?.delete(key);
      if (users.get(before)?.size === 0) users.delete(before);
      ids.delete(key);
    }
    if (id === null || id === undefined) return;
    ids.set(key, id);
    users.set(id, (users.get(id) ?? new Set()).add(key));
  }

  function isInstalled({ kind, metadata }: Pick<KubernetesObject, "kind" | "metadata">, place: PlaceKey): boolean {
    const { namespace = "default", name = "" } = metadata;
    const object = objectOf(kind, namespace, name);
    for (const one of releases.values())
      if (one.place === place && objectOf(one.kind, one.namespace, one.name) === object) return true;
    return false;
  }

  return {
    put,
    isInstalled,
    ownerOf: (id) => bindings.get(id) ?? null,
    isUsed: (id) => users.has(id),
    apply(event) {
      if (event.type === "release") {
        if (event.installed === null) releases.delete(event.record);
        else releases.set(event.record, event.installed);
      } else if (event.uid === null) bindings.delete(event.id);
      else bindings.set(event.id, event.uid);
    },
    snapshot: () => [
      ...[...bindings].map(([id, uid]) => ({ type: "binding" as const, id, uid })),
      ...[...releases].map(([record, installed]) => ({ type: "release" as const, record, installed })),
    ],
  };
}
