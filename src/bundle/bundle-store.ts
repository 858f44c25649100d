import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Highest, parseHighest } from "../model/bundle-format/highest-version.ts";
import { isObject, textOf } from "../model/json.ts";
import { sha256Digest } from "../model/sha256.ts";
import type { Tarball } from "./open-source.ts";

/** A bundle that was active. */
export interface StoredBundle extends Tarball {
  /** Last answer of the registry, ms since 1970. */
  contactedAt: number;
}

export interface BundleStore {
  /** The last good bundle of this reference; null if there is none or it is incomplete. Never throws. */
  read(ref: string): Promise<StoredBundle | null>;
  /** Stores a bundle and removes others. Throws errors of the file system (a full disk) without losing the stored bundle. */
  keep(ref: string, tarball: Tarball, contactedAt: number): Promise<void>;
  /** The highest version of this reference so far; null if there is none. Throws BUNDLE_RECORD. */
  readHighest(ref: string): Promise<Highest | null>;
  /** Stores it. Throws errors of the file system, and BUNDLE_RECORD. */
  keepHighest(ref: string, highest: Highest): Promise<void>;
}

const NOTE = "last-good.json";
const HIGHEST = "highest-version.json";

/** Writes atomically: after a crash, the previous file is still there. */
async function writeWhole(path: string, body: Uint8Array | string): Promise<void> {
  const beside = `${path}.${String(process.pid)}.tmp`;
  try {
    await writeFile(beside, body, { mode: 0o600 });
    await rename(beside, path);
  } catch (thrown) {
    await rm(beside, { force: true });
    throw thrown;
  }
}

const fileOf = (folder: string, content: string): string => join(folder, `${content.replace(/^sha256:/, "")}.tar.gz`);

async function readNote(folder: string): Promise<Record<string, unknown>> {
  const value: unknown = JSON.parse(await readFile(join(folder, NOTE), "utf8"));
  return isObject(value) ? value : {};
}

async function stored(folder: string, ref: string): Promise<StoredBundle | null> {
  const note = await readNote(folder);
  const { content, digest, signed, signers, contactedAt } = note;
  if (note["ref"] !== ref || typeof content !== "string" || typeof digest !== "string") return null;
  if (!/^sha256:[0-9a-f]{64}$/.test(content)) return null;
  const bytes = await readFile(fileOf(folder, content));
  if (sha256Digest(bytes) !== content) return null;
  const names = Array.isArray(signers) ? signers.map(textOf) : [];
  return { bytes, digest, signed: signed === true, signers: names, contactedAt: Number(contactedAt) || 0 };
}

/** Of a file on its own: it outlives the bundle, whose file can be lost. */
async function storedHighest(folder: string, ref: string): Promise<Highest | null> {
  return parseHighest(JSON.parse(await readFile(join(folder, HIGHEST), "utf8")), ref);
}

/** Stores the last good bundle in a folder, by digest: a restart without the registry begins with it. */
export function openStore(folder: string): BundleStore {
  return {
    read: (ref) => stored(folder, ref).catch(() => null),
    keep: async (ref, { bytes, digest, signed, signers }, contactedAt) => {
      const content = sha256Digest(bytes);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const before = await readNote(folder).catch((): Record<string, unknown> => ({}));
      if (before["content"] !== content) await writeWhole(fileOf(folder, content), bytes);
      // Written last, so that it never names a missing file.
      await writeWhole(join(folder, NOTE), JSON.stringify({ ref, content, digest, signed, signers, contactedAt }));
      const others = (await readdir(folder)).filter((name) => name.endsWith(".tar.gz"));
      for (const name of others)
        if (join(folder, name) !== fileOf(folder, content)) await rm(join(folder, name), { force: true });
    },
    readHighest: (ref) => storedHighest(folder, ref).catch(() => null),
    keepHighest: async (ref, highest) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(join(folder, HIGHEST), JSON.stringify({ ref, ...highest }));
    },
  };
}
