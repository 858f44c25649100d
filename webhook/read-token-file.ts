import { readFile } from "node:fs/promises";
import { LandfallError, messageOf } from "../src/errors.ts";

const WRONG = "it holds spaces, several lines, or characters other than visible ASCII";

/**
 * The bearer token in the file of an option such as `--status-token-file`; null if the option is not given. Space around it is removed.
 * Throws ADM_TOKEN_FILE, which never has the token in it.
 */
export async function readTokenFile(option: string, file: string | undefined): Promise<string | null> {
  if (file === undefined) return null;
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    throw new LandfallError("ADM_TOKEN_FILE", { option, file, detail: messageOf(thrown) }, thrown);
  });
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new LandfallError("ADM_TOKEN_FILE", { option, file, detail: token === "" ? "it is empty" : WRONG });
}
