import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assertOwnReferences } from "./assert-own-references.ts";
import { readArchive } from "./read-archive.ts";

/**
 * Unpacks a chart's archive with its subcharts into `target`, without the folder that all of its files lie in, unless it already exists. Throws
 * REL_CHART_UNREADABLE, also for links, names outside of the archive, archives that unpack to more than 32 MiB, and schemas that refer to others.
 */
export async function unpackChart(archive: Buffer, target: string, ref: string): Promise<void> {
  if ((await stat(target).catch(() => null)) !== null) return;
  const scratch = `${target}.${randomUUID()}`;
  const files = readArchive(archive, ref);
  assertOwnReferences(files, ref);
  try {
    for (const [name, content] of files) {
      const file = join(scratch, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { flag: "wx" });
    }
    await rename(scratch, target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
