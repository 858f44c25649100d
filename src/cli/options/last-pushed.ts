import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isObject } from "../../model/json.ts";
import type { Cli } from "../cli.ts";

/** Below the working folder, so that each repository of policies has its own. */
const FILE = ".landfall/pushed.json";

/** Remembers the platform's bundle that was pushed from this folder, by digest. A folder that cannot be written is only noted. */
export async function notePushed(cli: Cli, ref: string): Promise<void> {
  const file = resolve(FILE);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify({ ref })}\n`);
  } catch {
    cli.note(`landfall: ${FILE} cannot be written, so \`landfall impact\` needs --against\n`);
  }
}

/** The bundle that was pushed last from this folder; null if none was. */
export async function lastPushed(): Promise<string | null> {
  try {
    const state: unknown = JSON.parse(await readFile(resolve(FILE), "utf8"));
    return isObject(state) && typeof state["ref"] === "string" ? state["ref"] : null;
  } catch {
    return null;
  }
}
