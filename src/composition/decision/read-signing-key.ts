import { createSecretKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { LandfallError, messageOf } from "../../errors.ts";

const MIN_BYTES = 32;

/** The key that signs decisions, from the webhook's file. Throws REL_SIGNING_KEY for one that is missing or too short. */
export async function readSigningKey(file: string): Promise<KeyObject> {
  const bytes = await readFile(file).catch((thrown: unknown) => {
    throw new LandfallError("REL_SIGNING_KEY", { file, detail: messageOf(thrown) }, thrown);
  });
  if (bytes.length >= MIN_BYTES) return createSecretKey(bytes);
  const detail = `it has ${bytes.length} bytes, fewer than ${MIN_BYTES}`;
  throw new LandfallError("REL_SIGNING_KEY", { file, detail });
}
