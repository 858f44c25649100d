import { timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { LandfallError, messageOf } from "../../src/errors.ts";
import { sha256 } from "../../src/model/sha256.ts";

const hash = (text: string): Buffer => Buffer.from(sha256(text), "hex");

/** Whether an Authorization header shows the token in this file. Throws BUNDLE_SETTINGS for a file that has none. */
export async function pollToken(file: string): Promise<(authorization: string | undefined) => boolean> {
  const token = await readFile(file, "utf8").then(
    (text) => text.trim(),
    (thrown: unknown) => {
      throw new LandfallError("BUNDLE_SETTINGS", { file, detail: messageOf(thrown) }, thrown);
    },
  );
  if (token === "") throw new LandfallError("BUNDLE_SETTINGS", { file, detail: "the token is empty" });
  const wanted = hash(`Bearer ${token}`);
  // Compared by their hashes, in the same time whatever differs.
  return (authorization) => timingSafeEqual(hash(authorization ?? ""), wanted);
}
