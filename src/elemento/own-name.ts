import { sha256 } from "../model/sha256.ts";

/** A suffix of ten characters, unique to the object with this uid. */
const ownSuffix = (uid: string): string => `-${sha256(uid).slice(0, 10)}`;

/** Limit for machines, clusters and networks: a host name's length. */
const LONGEST = 63;

/** The name at Elemento of a resource of the object with this uid. Deterministic, so it can be looked up. */
export function ownName(name: string, uid: string, longest = LONGEST): string {
  const suffix = ownSuffix(uid);
  return `${name.slice(0, longest - suffix.length)}${suffix}`;
}

export const isOwnName = (name: string, uid: string): boolean => name.endsWith(ownSuffix(uid));
