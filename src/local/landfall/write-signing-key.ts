import { randomBytes } from "node:crypto";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SIGNING_KEY_BYTES } from "../../model/decision-annotation/parse-signing-key.ts";
import type { Stage } from "../processes/launch.ts";

/** The webhook's signing key, which the composition controller reads too. A kept folder keeps its key. Returns the file. */
export async function writeSigningKey({ paths }: Stage): Promise<string> {
  const folder = paths.data("webhook");
  const file = join(folder, "seal.key");
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) return file;
  await mkdir(folder, { recursive: true });
  await writeFile(file, randomBytes(SIGNING_KEY_BYTES), { mode: 0o600 });
  return file;
}
