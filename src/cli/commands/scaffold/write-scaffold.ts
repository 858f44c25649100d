import { link, lstat, mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { LandfallError, messageOf } from "../../../errors.ts";
import type { ScaffoldFile } from "./render-template.ts";

/** A dangling link exists too: writing would follow it. */
const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (thrown: unknown) => {
      if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw thrown;
    },
  );

/** The highest missing folder above `path`, or `path` itself if its folder exists. */
async function topmostMissing(path: string): Promise<string> {
  const above = dirname(path);
  return (await isThere(above)) ? path : topmostMissing(above);
}

/** Moves without replacing a file: a link fails if the name exists, unlike a rename. */
async function move(from: string, to: string): Promise<void> {
  if ((await stat(from)).isDirectory()) return rename(from, to);
  await link(from, to);
  await rm(from);
}

async function moveAll(from: string, to: string, tops: readonly string[]): Promise<void> {
  const moved: string[] = [];
  try {
    for (const top of tops) {
      await move(join(from, relative(to, top)), top);
      moved.push(top);
    }
  } catch (thrown) {
    for (const top of moved) await rm(top, { recursive: true, force: true });
    throw thrown;
  }
}

async function write(base: string, files: readonly ScaffoldFile[]): Promise<void> {
  const tops = new Set<string>();
  for (const { path } of files) tops.add(await topmostMissing(join(base, path)));
  // On the same file system as the target, so that moving is a rename; above `base` if that does not exist yet.
  const anchor = dirname(await topmostMissing(join(base, "x")));
  const temporary = await mkdtemp(join(anchor, ".landfall-scaffold-"));
  try {
    for (const { path, body } of files) {
      const file = join(temporary, relative(anchor, join(base, path)));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, body);
    }
    await moveAll(temporary, anchor, [...tops]);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The existing files, relative to `base`. Throws CLI_SCAFFOLD_WRITE for a path that cannot be read. */
async function taken(base: string, files: readonly ScaffoldFile[]): Promise<string[]> {
  const found = await Promise.all(files.map(async ({ path }) => ((await isThere(join(base, path))) ? [path] : [])));
  return found.flat();
}

export interface WriteScaffold {
  /** Base folder of the files' paths; created if missing. */
  base: string;
  files: readonly ScaffoldFile[];
  /** Only checks whether the files could be written. */
  dryRun: boolean;
}

/**
 * Writes all files or none: existing files are never replaced, and a failure leaves no partial files. Throws
 * CLI_SCAFFOLD_EXISTS, CLI_SCAFFOLD_WRITE.
 */
export async function writeScaffold({ base, files, dryRun }: WriteScaffold): Promise<void> {
  const folder = resolve(base);
  try {
    const [first, ...others] = await taken(folder, files);
    if (first !== undefined)
      throw new LandfallError("CLI_SCAFFOLD_EXISTS", {
        file: join(base, first),
        others: others.length === 0 ? "" : ` (and ${String(others.length)} more)`,
      });
    if (!dryRun) await write(folder, files);
  } catch (thrown) {
    if (thrown instanceof LandfallError) throw thrown;
    throw new LandfallError("CLI_SCAFFOLD_WRITE", { folder: base, detail: messageOf(thrown) }, thrown);
  }
}
