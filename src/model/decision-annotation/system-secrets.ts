// The Secrets of Landfall's own namespace that say which object has which decision. Their metadata is enough to read them.
import type { KubernetesObject } from "../kubernetes.ts";
import type { PlaceKey } from "../workload.ts";

/** Selects the Secrets of Landfall in its own namespace. */
export const LANDFALL_SECRETS = "app.kubernetes.io/part-of=landfall";
export const PART_OF_LANDFALL = { "app.kubernetes.io/part-of": "landfall" } as const;

const [BOUND_UID, OBJECT, PLACE] = ["landfall.dev/bound-uid", "landfall.dev/object", "landfall.dev/place"] as const;
const BINDING_PREFIX = "landfall.decision.";

type Secret = Pick<KubernetesObject, "metadata">;

/** A decision's nonce, or the uid that it was signed for, and the object that it counts for. */
export interface Binding {
  id: string;
  uid: string;
}

export const bindingName = (id: string): string => `${BINDING_PREFIX}${id.toLowerCase()}`;

/** The metadata of a Secret that binds a decision. */
export const bindingMetadata = ({ id, uid }: Binding) => ({
  name: bindingName(id),
  labels: PART_OF_LANDFALL,
  annotations: { [BOUND_UID]: uid },
});

/** Null for another Secret. */
export function readBinding({ metadata: { name = "", annotations = {} } }: Secret): Binding | null {
  const uid = annotations[BOUND_UID];
  return name.startsWith(BINDING_PREFIX) && uid !== undefined ? { id: name.slice(BINDING_PREFIX.length), uid } : null;
}

/** Which object has a release, and where: for readers of the record's metadata. */
export interface ReleaseMark {
  kind: string;
  namespace: string;
  name: string;
  place: PlaceKey;
}

export const releaseAnnotations = ({ kind, namespace, name, place }: ReleaseMark): Record<string, string> => ({
  [OBJECT]: `${kind}/${namespace}/${name}`,
  [PLACE]: place,
});

/** Null for another Secret. */
export function readReleaseMark({ metadata: { annotations = {} } }: Secret): ReleaseMark | null {
  const [object, place] = [annotations[OBJECT], annotations[PLACE]];
  const [kind = "", namespace = "", name = ""] = object?.split("/") ?? [];
  return place === undefined || name === "" ? null : { kind, namespace, name, place };
}
