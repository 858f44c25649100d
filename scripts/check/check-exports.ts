import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listFiles } from "../list-files.ts";
import { deadExports } from "./dead-exports.ts";

/** Exports of the project at `root` that no other file uses. */
export async function checkExports(root: string): Promise<string[]> {
  const names = (await listFiles(root)).filter((file) => /\.(?:tsx?|js|mjs)$/.test(file));
  const texts = await Promise.all(names.map(async (file) => [file, await readFile(join(root, file), "utf8")] as const));
  return deadExports(new Map(texts));
}
