import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { isObject } from "../../model/json.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import type { LedgerEntry } from "./ledger-entry.ts";

/** The content of one shard. */
export interface ShardContent {
  /** Rises with each write: an earlier content cannot be written back unnoticed. */
  serial: number;
  /** Before this time, in seconds since 1970, nothing is added: entries were lost, and what they stood for may still be stored. */
  notBefore: number;
  entries: readonly LedgerEntry[];
}

/** An entry as it is stored: flat, without what is null. */
type Row = Record<string, unknown>;

const rowOf = ({ workload, ...about }: LedgerEntry): Row => {
  const { uid: _uid, unverified: _unverified, standing: _standing, ...told } = workload;
  return Object.fromEntries(Object.entries({ ...about, ...told }).filter(([, value]) => value !== null));
};

/** The entry of a row that a webhook signed. */
function entryOf(row: Row): LedgerEntry {
  const { id, key, at, creates, ...told } = row;
  const unknown = { vmName: null, pricePerHour: null, place: null, start: null, end: null };
  return { id, key, at, creates, workload: { ...unknown, ...told } } as LedgerEntry;
}

interface Signed {
  serial: number;
  notBefore: number;
  rows: readonly Row[];
}

function macOf(key: KeyObject, shard: string, { serial, notBefore, rows }: Signed): string {
  // The API server does not keep the order of an object's fields.
  const sorted = rows.map((row) => Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const parts = ["landfall ledger 1", shard, serial, notBefore, sorted];
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
}

/** The `spec` of a shard: its content and a signature of it. */
export function specOf([{ id, key }]: KeyRing, shard: string, content: ShardContent): Record<string, unknown> {
  const { serial, notBefore, entries } = content;
  const rows = entries.map(rowOf);
  return { serial, notBefore, entries: rows, signature: `${id}.${macOf(key, shard, { serial, notBefore, rows })}` };
}

function isSigned(ring: KeyRing, shard: string, signed: Signed, signature: string): boolean {
  const [id, mac = ""] = signature.split(".");
  const found = ring.find((one) => one.id === id);
  if (found === undefined) return false;
  const [expected, actual] = [Buffer.from(macOf(found.key, shard, signed)), Buffer.from(mac)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The content of a shard; null if anyone but a webhook wrote it. */
export function readSpec(ring: KeyRing, shard: string, spec: unknown): ShardContent | null {
  if (!isObject(spec)) return null;
  const { serial, notBefore, entries: rows, signature } = spec;
  if (typeof serial !== "number" || typeof notBefore !== "number" || typeof signature !== "string") return null;
  if (!Array.isArray(rows) || !rows.every(isObject)) return null;
  return isSigned(ring, shard, { serial, notBefore, rows }, signature)
    ? { serial, notBefore, entries: rows.map(entryOf) }
    : null;
}
