import { sha256 } from "../model/sha256.ts";

/** Ten characters that only the object with this uid has. */
const ownSuffix = (uid: string): string => `-${sha256(uid).slice(0, 10)}`;

/** Of machines, clusters and networks: a host's name has no more characters. */
const LONGEST = 63;

/** The name at Elemento of something that belongs to the object with this uid. The same every time, so it can be looked up. */
export function ownName(name: string, uid: string, longest = LONGEST): string {
  const suffix = ownSuffix(uid);
  return `${name.slice(0, longest - suffix.length)}${suffix}`;
}

export const isOwnName = (name: string, uid: string): boolean => name.endsWith(ownSuffix(uid));
