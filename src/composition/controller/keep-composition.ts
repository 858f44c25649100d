import { conditionsOf } from "../../model/kubernetes.ts";
import { COMPOSITION_FINALIZER } from "../../model/names.ts";
import type { Kept } from "../../cluster/kept-shares.ts";
import { lengthOf, ownFinalizers, shortFields, shortNames, shortSpec, weightOf } from "../../cluster/short-object.ts";
import type { Resource } from "../types.ts";

/** An object with more characters of JSON is not kept whole: a normal one has some thousand. */
const WHOLE = 65_536;

/**
 * Most characters of labels, annotations, spec and of one condition, of an object whose namespace has its share. A decision has 4,600 with its
 * signature. Of spec, times and other short fields fit in.
 */
const [LABELS, ANNOTATIONS, SPEC, CONDITION] = [2048, 8192, 2048, 256];
const MOST_CONDITIONS = 20;

/** The names of an object, its versions, and whether it is being deleted. */
function namesOf({ metadata }: Resource): Resource["metadata"] {
  return { ...shortNames(metadata), finalizers: ownFinalizers(metadata, COMPOSITION_FINALIZER) };
}

function shortened(object: Resource): Resource {
  const { apiVersion, kind, metadata, status } = object;
  const [labels, annotations] = [shortFields(metadata.labels), shortFields(metadata.annotations)];
  return {
    ...{ apiVersion, kind, metadata: { ...namesOf(object), labels, annotations } },
    ...{ spec: shortSpec(object), status: shortFields(status) },
  };
}

/** The parts that are kept of an object whose namespace has its share: those that schedules and lists need. Its records say what it runs. */
export function keepLeast(object: Resource): Resource {
  const { apiVersion, kind, metadata, spec } = object;
  const labels = shortFields(metadata.labels, LABELS);
  const annotations = shortFields(metadata.annotations, ANNOTATIONS);
  const conditions = conditionsOf(object)
    .slice(0, MOST_CONDITIONS)
    .map(({ message: _, ...about }) => shortFields(about, CONDITION));
  return {
    ...{ apiVersion, kind, metadata: { ...namesOf(object), labels, annotations } },
    ...{ spec: shortFields(spec, SPEC), status: { conditions } },
  };
}

/**
 * The parts of an object that the controller keeps between its reconciles. Users can make an object as large as the API server stores, and the
 * controller knows all objects of the cluster.
 */
export function keepComposition(object: Resource): Kept {
  const length = lengthOf(object);
  if (length <= WHOLE) return { object, isWhole: true, weight: weightOf(object) };
  const short = shortened(object);
  return { object: short, isWhole: false, weight: weightOf(short) };
}
