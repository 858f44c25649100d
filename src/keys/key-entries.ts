import { randomBytes } from "node:crypto";
import { LandfallError } from "../errors.ts";
import { type KeyRing, ringOf } from "../model/decision-annotation/key-ring.ts";
import { parseTime } from "../model/time.ts";

/** A key as it is stored: an entry of the Secret, or a file. */
export interface KeyEntry {
  name: string;
  bytes: Uint8Array;
}

export type KeyErrorCode = "ADM_SIGNING_KEY" | "REL_SIGNING_KEY";

/** The one key of versions 0.1.0 and 0.2.0, and the first one of a folder. */
export const FIRST_KEY = "seal.key";
export const SIGNING_KEY_BYTES = 32;
/** A new key signs once every process has read it, which each does every few seconds. */
export const ACTIVE_SECONDS = 60;

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{8}\.key$/;

/** When the key of this name was made, in seconds since 1970; null for the name of something else. */
export function madeAt(name: string): number | null {
  if (name === FIRST_KEY) return 0;
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  return year === undefined
    ? null
    : parseTime(`${year}-${String(month)}-${String(day)}T${String(hour)}:${String(minute)}:${String(second)}Z`);
}

/** The id of a stored key. */
export const idOf = ({ bytes }: KeyEntry): string => ringOf(bytes)[0].id;

/** A new key, named by its time and id. */
export function makeKey(nowSeconds: number): KeyEntry {
  const bytes = randomBytes(SIGNING_KEY_BYTES);
  const time = new Date(nowSeconds * 1000)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:]/g, "");
  return { name: `${time}-${idOf({ name: "", bytes })}.key`, bytes };
}

/** The keys among these entries, newest first. Throws `code` for one that is too short, or if there is none. */
export function keysAmong(entries: readonly KeyEntry[], where: string, code: KeyErrorCode): [KeyEntry, ...KeyEntry[]] {
  const keys = entries
    .filter(({ name }) => madeAt(name) !== null)
    .sort((one, other) => (madeAt(other.name) ?? 0) - (madeAt(one.name) ?? 0));
  for (const { name, bytes } of keys) {
    if (bytes.length >= SIGNING_KEY_BYTES) continue;
    const detail = `it has ${bytes.length} bytes, fewer than ${SIGNING_KEY_BYTES}`;
    throw new LandfallError(code, { file: `${where}/${name}`, detail });
  }
  const [newest, ...older] = keys;
  if (newest === undefined) throw new LandfallError(code, { file: where, detail: "it holds no key" });
  return [newest, ...older];
}

/** The ring of these keys at this time: the newest that every process has read signs. */
export function ringAt(keys: readonly [KeyEntry, ...KeyEntry[]], nowSeconds: number): KeyRing {
  const read = keys.find(({ name }) => nowSeconds - (madeAt(name) ?? 0) >= ACTIVE_SECONDS);
  const signing = read ?? keys.at(-1) ?? keys[0];
  return ringOf(signing.bytes, ...keys.filter((key) => key !== signing).map(({ bytes }) => bytes));
}
