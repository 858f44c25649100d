import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { execa } from "execa";
import { LandfallError } from "../../errors.ts";

/** The files that the pages are built from. */
const SOURCES = ["web", "src/console/contract", "src/model", "src/errors.ts", "package-lock.json"] as const;
/** The folder of the built pages in the npm package. */
const PACKAGED_PAGES = "console";

export interface BuiltPages {
  /** The project's folder. */
  root: string;
  /** Built pages are kept here, by the hash of their sources. */
  cacheDir: string;
  /** Called before a build, which takes seconds. */
  building?: () => void;
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => null);
  if (entries === null) return [path];
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

async function hashOf(root: string): Promise<string> {
  const files = (await Promise.all(SOURCES.map((source) => filesBelow(join(root, source))))).flat().sort();
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(await readFile(file))
      .update("\0");
  return hash.digest("hex").slice(0, 32);
}

/** Builds the pages of a clone into a folder. Throws CONSOLE_BUILD. */
async function buildPages(root: string, out: string): Promise<void> {
  const vite = join(root, "node_modules/vite/bin/vite.js");
  if (!existsSync(vite)) throw new LandfallError("CONSOLE_BUILD", { detail: `there is no ${vite}` });
  const args = [vite, "build", "--outDir", out, "--emptyOutDir", "--logLevel", "warn"];
  const built = await execa(process.execPath, args, { cwd: join(root, "web"), all: true, reject: false });
  if (built.failed) throw new LandfallError("CONSOLE_BUILD", { detail: built.all.trim().slice(-2000) });
}

/** The folder of the built pages: the npm package brings it along, a clone builds it when a source has changed. Throws CONSOLE_BUILD. */
export async function builtPages({ root, cacheDir, building }: BuiltPages): Promise<string> {
  const packaged = join(root, PACKAGED_PAGES);
  if (existsSync(join(packaged, "index.html"))) return packaged;
  const folder = join(cacheDir, await hashOf(root));
  if (existsSync(folder)) return folder;
  building?.();
  // Built under another name: half a build is never served, and of two builds the first one stays.
  const part = `${folder}.${randomBytes(8).toString("hex")}`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    await buildPages(root, part);
    await rename(part, folder).catch((thrown: unknown) => {
      if (!existsSync(folder)) throw thrown;
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  return folder;
}
