import { randomBytes } from "node:crypto";
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { LandfallError, messageOf } from "../errors.ts";
import { FIRST_KEY, type KeyEntry, type KeyErrorCode, madeAt, SIGNING_KEY_BYTES } from "./key-entries.ts";

const hasCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof Error && "code" in thrown && thrown.code === code;

function failed(code: KeyErrorCode, file: string, thrown: unknown): never {
  throw new LandfallError(code, { file, detail: messageOf(thrown) }, thrown);
}

async function filesIn(path: string): Promise<string[]> {
  const isFolder = (await stat(path)).isDirectory();
  if (!isFolder) return [path];
  return (await readdir(path)).filter((name) => madeAt(name) !== null).map((name) => join(path, name));
}

/** The keys in a folder; of a path to a file, this key alone, whatever its name. Throws `code` for what cannot be read. */
export async function readKeyFiles(path: string, code: KeyErrorCode): Promise<KeyEntry[]> {
  const files = await filesIn(path).catch((thrown: unknown) => failed(code, path, thrown));
  const read = async (file: string): Promise<KeyEntry> => ({
    name: files[0] === path ? FIRST_KEY : basename(file),
    bytes: await readFile(file).catch((thrown: unknown) => failed(code, file, thrown)),
  });
  return Promise.all(files.map(read));
}

/** Writes a key under another name first: no process reads half a key, and the first of two stays. */
export async function writeKeyFile(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const file = join(folder, name);
  const part = `${file}.${randomBytes(8).toString("hex")}`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(part, bytes, { mode: 0o600, flag: "wx" });
    await link(part, file);
  } catch (thrown) {
    if (!hasCode(thrown, "EEXIST")) failed("ADM_SIGNING_KEY", file, thrown);
  } finally {
    await rm(part, { force: true });
  }
}

/** Makes the first key of a folder that has none. Replicas that share the folder get the same one. */
export async function ensureKeyFile(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readKeyFiles(folder, "ADM_SIGNING_KEY")).length > 0) return;
  await writeKeyFile(folder, FIRST_KEY, randomBytes(SIGNING_KEY_BYTES));
}

/** The key of version 0.1.0 in the webhook's folder; null if there is none. Throws ADM_SIGNING_KEY. */
export async function readFirstKey(folder: string): Promise<KeyEntry | null> {
  const file = join(folder, FIRST_KEY);
  try {
    return { name: FIRST_KEY, bytes: await readFile(file) };
  } catch (thrown) {
    return hasCode(thrown, "ENOENT") ? null : failed("ADM_SIGNING_KEY", file, thrown);
  }
}
