import { isObject } from "../json.ts";

/** The bundle with the highest version that a reference has had. */
export interface Highest {
  version: number;
  /** Of its image. */
  digest: string;
  /** The image that is used for it: the same, or the earlier one that it names. */
  uses: string;
}

/** The store in which all processes of a cluster keep the highest versions. They only rise. */
export interface VersionRecord {
  /** Null for a reference that has had none. Throws BUNDLE_RECORD. */
  read(ref: string): Promise<Highest | null>;
  /** Keeps it unless a higher one is there. Throws BUNDLE_RECORD. */
  raise(ref: string, highest: Highest): Promise<void>;
}

/** Null for what is not the highest version of this reference. */
export function parseHighest(value: unknown, ref: string): Highest | null {
  if (!isObject(value) || value["ref"] !== ref) return null;
  const { version, digest, uses } = value;
  if (!Number.isSafeInteger(version) || typeof digest !== "string" || typeof uses !== "string") return null;
  return { version: Number(version), digest, uses };
}
