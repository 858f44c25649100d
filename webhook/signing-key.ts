import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const BYTES = 32;

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
}

/** The key that signs decisions: `seal.key` in `dir`, created at the first start. Replicas share the folder (a Secret). */
export async function readSigningKey(dir: string): Promise<KeyObject> {
  const path = join(dir, "seal.key");
  try {
    return createSecretKey(await readFile(path));
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  }
  await mkdir(dir, { recursive: true });
  const key = randomBytes(BYTES);
  await writeFile(path, key, { mode: 0o600, flag: "wx" });
  return createSecretKey(key);
}
