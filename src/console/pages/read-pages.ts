import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { table } from "../../model/table.ts";

const compress = promisify(brotliCompress);

const TYPES = table({
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
});

/** Less is not worth the time of a browser. */
const WORTH_BYTES = 1024;

/** A file of the console's pages. */
export interface Page {
  type: string;
  body: Buffer;
  brotli: Buffer | null;
  /** Its name has a hash of its content, so browsers may keep it. */
  lasting: boolean;
}

async function readPage(file: string, name: string): Promise<Page> {
  const body = await readFile(file);
  const { BROTLI_PARAM_QUALITY: quality } = constants;
  const worth = body.length > WORTH_BYTES && !name.endsWith(".woff2");
  return {
    type: TYPES[extname(name)] ?? "application/octet-stream",
    body,
    // The middle of the scale: the best takes seconds for a megabyte.
    brotli: worth ? await compress(body, { params: { [quality]: 5 } }) : null,
    lasting: name.startsWith("/assets/"),
  };
}

/** The built pages of a folder, by path from `/`. Kept in memory, so that no request names a file. */
export async function readPages(folder: string): Promise<ReadonlyMap<string, Page>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const named = files.map((file) => [file, `/${relative(folder, file).split(sep).join("/")}`] as const);
  return new Map(await Promise.all(named.map(async ([file, name]) => [name, await readPage(file, name)] as const)));
}
