import { COMPOSITION_FINALIZER } from "../../model/names.ts";
import type { Resource } from "../types.ts";

/** An object with more characters of JSON is not kept whole: a normal one has some thousand. */
const WHOLE = 65_536;
/** Most characters of JSON of one of its fields that is still kept, and of all labels, annotations or fields of status. */
const [FIELD, FIELDS] = [8192, 16_384];
/** More than the schemas of the kinds allow, without `global`, which is open. Signatures cover the whole spec, so a normal one is kept. */
const SPEC = 262_144;

/** The parts of an object that are kept: all of it, or those that schedules, lists and records of retained resources read. */
export interface Kept {
  object: Resource;
  isWhole: boolean;
}

const isOwn = (key: string): boolean => /^(?:[^/]*\.)?(?:landfall\.dev|krateo\.io)\//.test(key);

const lengthOf = (value: unknown): number => JSON.stringify(value).length;

/** The entries that fit in: first Landfall's and Krateo's own, then the short ones. */
function shortFields<T>(fields: Readonly<Record<string, T>> | undefined): Record<string, T> {
  const entries = Object.entries(fields ?? {}).map(([key, value]) => ({
    key,
    value,
    length: key.length + lengthOf(value),
  }));
  const short = entries.filter(({ length }) => length <= FIELD);
  short.sort((a, b) => Number(isOwn(b.key)) - Number(isOwn(a.key)) || a.length - b.length);
  let left = FIELDS;
  return Object.fromEntries(short.filter(({ length }) => (left -= length) >= 0).map(({ key, value }) => [key, value]));
}

function shortSpec({ spec }: Resource): Record<string, unknown> {
  const { global: _, ...signed } = spec ?? {};
  return lengthOf(signed) <= SPEC ? signed : shortFields(signed);
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
