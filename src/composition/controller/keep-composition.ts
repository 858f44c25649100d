import { COMPOSITION_FINALIZER } from "../../model/names.ts";
import { lengthOf, shortFields, shortSpec } from "../../cluster/short-object.ts";
import type { Resource } from "../types.ts";

/** An object with more characters of JSON is not kept whole: a normal one has some thousand. */
const WHOLE = 65_536;

/** The parts of an object that are kept: all of it, or those that schedules, lists and records of retained resources read. */
export interface Kept {
  object: Resource;
  isWhole: boolean;
}

function shortened(object: Resource): Resource {
  const { apiVersion, kind, metadata, status } = object;
  const { name, namespace, uid, generation, resourceVersion, creationTimestamp, deletionTimestamp, finalizers } =
    metadata;
  const names = { name, namespace, uid, generation, resourceVersion, creationTimestamp, deletionTimestamp };
  const known = Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined));
  return {
    apiVersion,
    kind,
    metadata: {
      ...known,
      labels: shortFields(metadata.labels),
      annotations: shortFields(metadata.annotations),
      finalizers: (finalizers ?? []).filter((one) => one === COMPOSITION_FINALIZER),
    },
    spec: shortSpec(object),
    status: shortFields(status),
  };
}

/**
 * The parts of an object that the controller keeps between its reconciles. Users can make an object as large as the API server stores, and the
 * controller knows all objects of the cluster.
 */
export const keepComposition = (object: Resource): Kept =>
  lengthOf(object) <= WHOLE ? { object, isWhole: true } : { object: shortened(object), isWhole: false };
