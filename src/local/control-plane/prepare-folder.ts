import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { LandfallError } from "../../errors.ts";
import type { LocalPaths } from "../processes/local-paths.ts";

/** Whether the process whose id is in the lock file still runs and is a Node process (ids are reused). */
async function runs(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "node");
  return commandLine.includes("node");
}

/**
 * Locks the folder of local mode for this process. Files of an earlier run are removed, its data too unless `keep`.
 * Errors: LOCAL_RUNNING.
 */
export async function prepareFolder(paths: LocalPaths, keep: boolean): Promise<void> {
  const holder = Number(await readFile(paths.lock, "utf8").catch(() => "0"));
  if (holder > 0 && holder !== process.pid && (await runs(holder))) {
    throw new LandfallError("LOCAL_RUNNING", { folder: paths.root, pid: holder });
  }
  // Processes of a killed run may still write for a few seconds.
  const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 200 };
  const stale = keep ? [paths.pki, paths.logs, paths.kubeconfig, paths.status] : [paths.root];
  for (const path of stale) await rm(path, options);
  await mkdir(paths.root, { recursive: true, mode: 0o700 });
  await writeFile(paths.lock, String(process.pid));
}
