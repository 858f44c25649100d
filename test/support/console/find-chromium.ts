import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

async function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function onPath(): Promise<string | null> {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  for (const file of NAMES.flatMap((name) => folders.map((folder) => join(folder, name))))
    if (await isProgram(file)) return file;
  return null;
}

/** Installs Debian's package, which only root can. */
async function install(): Promise<void> {
  if (process.getuid?.() !== 0 || !(await isProgram("/usr/bin/apt-get"))) return;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update", "-q"], { env });
  await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", "chromium"], { env });
}

/**
 * The Chromium that the tests of the console drive: LANDFALL_TEST_CHROMIUM, one on PATH, or Debian's package, which is installed
 * where that is possible. Throws an error that says what to install.
 */
export async function findChromium(): Promise<string> {
  const named = process.env["LANDFALL_TEST_CHROMIUM"];
  if (named !== undefined) return named;
  const found = await onPath();
  if (found !== null) return found;
  await install().catch(() => undefined);
  const installed = await onPath();
  if (installed !== null) return installed;
  throw new Error(
    "the tests of the console need Chromium: install it (Debian: apt-get install chromium), or set LANDFALL_TEST_CHROMIUM to its path",
  );
}
