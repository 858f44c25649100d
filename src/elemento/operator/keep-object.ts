import type { Kept } from "../../cluster/kept-shares.ts";
import { ownFinalizers, shortFields, shortNames, weightOf } from "../../cluster/short-object.ts";
import { isObject } from "../../model/json.ts";
import { conditionsOf, type Resource } from "../../model/kubernetes.ts";
import { ABANDON, FINALIZER } from "../kinds.ts";

/** Of an object that takes more bytes, the least is kept. The schemas allow some ten thousand of spec, without the names of tags. */
const WHOLE = 131_072;

/** Most characters of annotations, and of each text of the least. */
const [ANNOTATIONS, TEXT] = [2048, 256];

/** The annotations that the operator reads, and short ones: a change of these makes it look at the object. */
function annotationsOf({ annotations = {} }: Resource["metadata"]): Record<string, string> {
  const { [ABANDON]: abandon, ...others } = annotations;
  return { ...shortFields(others, ANNOTATIONS), ...(abandon === "true" ? { [ABANDON]: abandon } : {}) };
}

/** The parts that the operator reads of an object that it works on. */
function readOf({ apiVersion, kind, metadata, spec, status }: Resource): Resource {
  const { finalizers = [] } = metadata;
  return {
    ...{ apiVersion, kind },
    metadata: { ...shortNames(metadata), finalizers, annotations: annotationsOf(metadata) },
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}

/** The short texts of these fields. */
function textsOf(from: unknown, keys: readonly string[]): Record<string, string> {
  const fields = isObject(from) ? from : {};
  return Object.fromEntries(
    keys.flatMap((key): [string, string][] => {
      const value = fields[key];
      return typeof value === "string" && value.length <= TEXT ? [[key, value]] : [];
    }),
  );
}

/** The parts of an object that the work on others reads: its id and whether it is ready. Before the operator works on this one, it reads all of it. */
export function leastOfObject(object: Resource): Resource {
  const { apiVersion, kind, metadata, status } = object;
  const ready: unknown = conditionsOf(object).find(({ type }) => type === "Ready");
  const condition = textsOf(ready, ["type", "status", "severity"]);
  return {
    ...{ apiVersion, kind },
    metadata: {
      ...{ ...shortNames(metadata), finalizers: ownFinalizers(metadata, FINALIZER) },
      annotations: annotationsOf(metadata),
    },
    status: { ...textsOf(status, ["id"]), conditions: ready === undefined ? [] : [condition] },
  };
}

/** The parts of an object that the operator keeps. Users can make an object as large as the API server stores, and the operator knows all objects of the cluster. */
export function keepObject(object: Resource): Kept {
  const read = readOf(object);
  const weight = weightOf(read, WHOLE);
  if (weight <= WHOLE) return { object: read, isWhole: true, weight };
  const least = leastOfObject(object);
  return { object: least, isWhole: false, weight: weightOf(least) };
}
