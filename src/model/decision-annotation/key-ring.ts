import { createHash, createSecretKey, type KeyObject } from "node:crypto";

/** A key that signs decisions and records of releases. */
export interface SigningKey {
  /** Names the key in what it signs: 8 hex digits of a hash of the key. */
  id: string;
  key: KeyObject;
}

/** The keys that verify, newest first. The newest signs. */
export type KeyRing = readonly [SigningKey, ...SigningKey[]];

function signingKeyOf(bytes: Uint8Array): SigningKey {
  const id = createHash("sha256").update("landfall signing key\n").update(bytes).digest("hex").slice(0, 8);
  return { id, key: createSecretKey(bytes) };
}

/** The ring of these keys, newest first. */
export const ringOf = (newest: Uint8Array, ...older: readonly Uint8Array[]): KeyRing => [
  signingKeyOf(newest),
  ...older.map(signingKeyOf),
];

/** The keys as bytes, newest first: a decision process is given these. */
export const bytesOf = (ring: KeyRing): [Uint8Array, ...Uint8Array[]] => {
  const [newest, ...older] = ring;
  return [newest.key.export(), ...older.map(({ key }) => key.export())];
};
