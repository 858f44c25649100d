import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LandfallError, messageOf } from "../../errors.ts";
import { readTar } from "../../model/bundle-format/tar.ts";
import { assertOwnReferences } from "./assert-own-references.ts";

/** The largest chart of this project unpacks to 200 kB in 30 files. */
const LIMITS = { bytes: 32 * 1024 * 1024, files: 5000 };

function filesIn(archive: Buffer, ref: string): Map<string, Buffer> {
  try {
    return readTar(archive, LIMITS);
  } catch (thrown) {
    throw new LandfallError("REL_CHART_UNREADABLE", { chart: ref, detail: messageOf(thrown) }, thrown);
  }
}

/**
 * Unpacks a chart's archive into `target`, without the folder that all of its files lie in, unless it already exists. Throws
 * REL_CHART_UNREADABLE, also for links, names outside of the archive, archives that unpack to more than 32 MiB, and schemas that refer to others.
 */
export async function unpackChart(archive: Buffer, target: string, ref: string): Promise<void> {
  if ((await stat(target).catch(() => null)) !== null) return;
  const scratch = `${target}.${randomUUID()}`;
  const files = filesIn(archive, ref);
  assertOwnReferences(files, LIMITS, ref);
  try {
    for (const [name, content] of files) {
      const [, ...path] = name.split("/");
      if (path.length === 0) continue;
      const file = join(scratch, ...path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    await rename(scratch, target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
