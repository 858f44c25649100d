import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LandfallError, messageOf } from "../src/errors.ts";
import type { KeyRing } from "../src/model/decision-annotation/key-ring.ts";
import { parseSigningKey, SIGNING_KEY_BYTES } from "../src/model/decision-annotation/parse-signing-key.ts";

const hasCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof Error && "code" in thrown && thrown.code === code;

/** Null if there is no such file. Throws ADM_SIGNING_KEY for one that cannot be read or is too short. */
async function readKey(file: string): Promise<KeyRing | null> {
  const bytes = await readFile(file).catch((thrown: unknown) => {
    if (hasCode(thrown, "ENOENT")) return null;
    throw new LandfallError("ADM_SIGNING_KEY", { file, detail: messageOf(thrown) }, thrown);
  });
  return bytes === null ? null : parseSigningKey(bytes, file, "ADM_SIGNING_KEY");
}

/** Writes a new key under another name first: no replica reads half a key, and the first of two stays. */
async function createKey(dir: string, file: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const part = `${file}.${randomBytes(8).toString("hex")}`;
  try {
    await writeFile(part, randomBytes(SIGNING_KEY_BYTES), { mode: 0o600, flag: "wx" });
    await link(part, file);
  } catch (thrown) {
    if (!hasCode(thrown, "EEXIST"))
      throw new LandfallError("ADM_SIGNING_KEY", { file, detail: messageOf(thrown) }, thrown);
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * The key that signs decisions: `seal.key` in `dir`, created at the first start. Replicas share the folder (a Secret).
 * Throws ADM_SIGNING_KEY.
 */
export async function readSigningKey(dir: string): Promise<KeyRing> {
  const file = join(dir, "seal.key");
  const found = await readKey(file);
  if (found !== null) return found;
  await createKey(dir, file);
  const created = await readKey(file);
  if (created !== null) return created;
  throw new LandfallError("ADM_SIGNING_KEY", { file, detail: "it was removed at the same time" });
}
