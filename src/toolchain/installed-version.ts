import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Compatibility } from "./tool-spec.ts";

const VERSION = /(\d+)\.(\d+)\.(\d+)/;

function numbers(text: string): [number, number, number] | null {
  const found = VERSION.exec(text);
  return found ? [Number(found[1]), Number(found[2]), Number(found[3])] : null;
}

/** The first `1.2.3` in what a program printed about itself, or null. */
export const versionIn = (output: string): string | null => VERSION.exec(output)?.[0] ?? null;

/** Whether a program of version `found` can stand in for the pinned one. */
export function isCompatible(found: string, pinned: string, rule: Compatibility): boolean {
  const [have, want] = [numbers(found), numbers(pinned)];
  if (!have || !want || have[0] !== want[0]) return false;
  if (rule === "same-minor") return have[1] === want[1];
  return have[1] > want[1] || (have[1] === want[1] && have[2] >= want[2]);
}

/** A program that does not answer within this time counts as having no version. */
const TIMEOUT_MS = 10_000;

/** The version that the program at `path` prints at this moment, or null. */
export async function askVersion(path: string, versionCommand: string[]): Promise<string | null> {
  // Loaded when it is needed: it takes longer to load than most commands take.
  const { execa } = await import("execa");
  const result = await execa(path, versionCommand, { timeout: TIMEOUT_MS, reject: false });
  return result.failed ? null : (versionIn(result.stdout) ?? versionIn(result.stderr));
}

/**
 * The version that the program at `path` prints, or null. Starting a Kubernetes program takes a tenth of a second, so the
 * answer is kept in `cacheFolder` for as long as the file's size and time stay.
 */
export async function installedVersion(
  path: string,
  versionCommand: string[],
  cacheFolder: string,
): Promise<string | null> {
  const { size, mtimeMs } = await stat(path);
  const key = `${path.replace(/[^A-Za-z0-9.-]+/g, "_")}-${size}-${Math.floor(mtimeMs)}`;
  const memo = join(cacheFolder, "versions", key);
  const known = await readFile(memo, "utf8").catch(() => null);
  if (known !== null && known !== "") return known;
  const version = await askVersion(path, versionCommand);
  // No answer is not remembered: a busy machine can be too slow for the timeout once.
  if (version !== null) await remember(memo, version);
  return version;
}

async function remember(memo: string, version: string): Promise<void> {
  try {
    await mkdir(dirname(memo), { recursive: true });
    await writeFile(`${memo}.${process.pid}`, version);
    await rename(`${memo}.${process.pid}`, memo);
  } catch {
    // A cache that cannot be written costs time only.
  }
}
