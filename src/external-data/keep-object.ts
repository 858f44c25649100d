import type { Resource } from "../model/kubernetes.ts";
import { ANNOTATION } from "../model/names.ts";
import { runOf } from "../model/runs/run-of.ts";

/** A longer command is not kept: signatures of earlier versions, which are checked with it, then do not count. */
const WISH_LENGTH = 400;

/** Those of the texts that there are. */
const known = <K extends string>(texts: Partial<Record<K, string | undefined>>): Partial<Record<K, string>> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)) as Partial<Record<K, string>>;

/** The parts of an object that its signature and its run are read from. */
function annotationsOf({ metadata }: Resource): Record<string, string> {
  const { annotations = {} } = metadata;
  const wish = annotations[ANNOTATION.reevaluate];
  return known({
    [ANNOTATION.decision]: annotations[ANNOTATION.decision],
    [ANNOTATION.seal]: annotations[ANNOTATION.seal],
    [ANNOTATION.reevaluate]: (wish?.length ?? 0) > WISH_LENGTH ? undefined : wish,
    [ANNOTATION.run]: annotations[ANNOTATION.run] === undefined ? undefined : runOf({ metadata }),
  });
}

/**
 * The parts of an object that are kept: those of its event, and nothing that a user can make long. With `generateName`, because a new object
 * is signed before it has its name.
 */
export function keepObject(object: Resource): Resource {
  const { apiVersion, kind, spec } = object;
  const { name = "", namespace = "", uid = "", resourceVersion = "", ...others } = object.metadata;
  const { generateName, creationTimestamp, deletionTimestamp } = others;
  const times = known({ generateName, creationTimestamp, deletionTimestamp });
  const metadata = { name, namespace, uid, resourceVersion, annotations: annotationsOf(object), ...times };
  return { apiVersion, kind, metadata, ...(spec === undefined ? {} : { spec }) };
}
