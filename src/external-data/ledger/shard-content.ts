import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { isObject } from "../../model/json.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import { entryOf, lineOf } from "./entry-line.ts";
import type { LedgerEntry } from "./ledger-entry.ts";

/** The content of one shard. */
export interface ShardContent {
  /** Rises with each write: an earlier content cannot be written back unnoticed. */
  serial: number;
  /** Before this time, in seconds since 1970, nothing is added: entries were lost, and what they stood for may still be stored. */
  notBefore: number;
  entries: readonly LedgerEntry[];
}

interface Signed {
  serial: number;
  notBefore: number;
  /** A line for each entry. */
  text: string;
}

const macOf = (key: KeyObject, shard: string, { serial, notBefore, text }: Signed): string =>
  createHmac("sha256", key)
    .update(JSON.stringify(["landfall ledger 2", shard, serial, notBefore]))
    .update(text)
    .digest("base64url");

/** The `spec` of a shard: its content and a signature of it. */
export function specOf([{ id, key }]: KeyRing, shard: string, content: ShardContent): Record<string, unknown> {
  const { serial, notBefore, entries } = content;
  const text = entries.map(lineOf).join("\n");
  return { serial, notBefore, entries: text, signature: `${id}.${macOf(key, shard, { serial, notBefore, text })}` };
}

function isSigned(ring: KeyRing, shard: string, signed: Signed, signature: string): boolean {
  const [id, mac = ""] = signature.split(".");
  const found = ring.find((one) => one.id === id);
  if (found === undefined) return false;
  const [expected, actual] = [Buffer.from(macOf(found.key, shard, signed)), Buffer.from(mac)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The content of one shard; null if anyone but a webhook wrote it. */
export type ReadSpec = (ring: KeyRing, spec: unknown) => ShardContent | null;

/** Reads the versions of a shard. Most lines of one are those of the version before, whose entries are used again. */
export function createSpecReader(shard: string): ReadSpec {
  let known: ReadonlyMap<string, LedgerEntry> = new Map();
  function entriesOf(text: string): LedgerEntry[] {
    const entries = (text === "" ? [] : text.split("\n")).map(
      (line) => [line, known.get(line) ?? entryOf(line)] as const,
    );
    known = new Map(entries);
    return entries.map(([, entry]) => entry);
  }
  return (ring, spec) => {
    if (!isObject(spec)) return null;
    const { serial, notBefore, entries: text, signature } = spec;
    if (typeof serial !== "number" || typeof notBefore !== "number" || typeof signature !== "string") return null;
    if (typeof text !== "string" || !isSigned(ring, shard, { serial, notBefore, text }, signature)) return null;
    return { serial, notBefore, entries: entriesOf(text) };
  };
}
