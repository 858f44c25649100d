import { readFile } from "node:fs/promises";
import { LandfallError, messageOf } from "../../errors.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import { parseSigningKey } from "../../model/decision-annotation/parse-signing-key.ts";

/** The key that signs decisions, from the webhook's file. Throws REL_SIGNING_KEY for one that is missing or too short. */
export async function readSigningKey(file: string): Promise<KeyRing> {
  const bytes = await readFile(file).catch((thrown: unknown) => {
    throw new LandfallError("REL_SIGNING_KEY", { file, detail: messageOf(thrown) }, thrown);
  });
  return parseSigningKey(bytes, file, "REL_SIGNING_KEY");
}
