import { sha256 } from "../model/sha256.ts";

/** A suffix of ten characters, unique to this text: enough for a uid, which no user chooses. */
export const tagOf = (text: string): string => `-${sha256(text).slice(0, 10)}`;

/** Limit for machines, clusters and networks: a host name's length. */
const LONGEST = 63;

const withSuffix = (name: string, suffix: string, longest: number): string =>
  `${name.slice(0, longest - suffix.length)}${suffix}`;

/** The name at Elemento of a resource of the object with this uid. Deterministic, so it can be looked up. */
export const ownName = (name: string, uid: string, longest = LONGEST): string => withSuffix(name, tagOf(uid), longest);

/** The tag of the object that a name at Elemento is of. */
export const lastTag = (name: string): string => name.slice(-11);

export const isOwnName = (name: string, uid: string): boolean => name.endsWith(tagOf(uid));

/** Users choose names of namespaces: one whose ten characters are those of another namespace is found in minutes, one with these twenty is not. */
const namespaceTag = (namespace: string): string => `-${sha256(`namespace/${namespace}`).slice(0, 20)}`;

/**
 * As `ownName`, for networks and volumes that other objects may name by their id: the name also records the namespace, which
 * outlives the object. A user chooses only what stands before both tags.
 */
export function sharedName(name: string, { namespace = "", uid = "" }: { namespace?: string; uid?: string }): string {
  return withSuffix(name, namespaceTag(namespace) + tagOf(uid), LONGEST);
}

/** Whether the name at Elemento records this namespace. */
export const isNamespacesName = (name: string, namespace: string): boolean =>
  namespaceTag(namespace) === /(-[0-9a-f]{20})-[0-9a-f]{10}$/.exec(name)?.[1];
