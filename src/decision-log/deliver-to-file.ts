import { appendFile, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { finished } from "node:stream/promises";
import { createStream } from "rotating-file-stream";
import type { Deliver } from "./line-buffer.ts";

export interface FileOptions {
  path: string;
  /** Bytes after which a new file begins. A file exceeds them by at most one delivery. */
  maxBytes: number;
  /** Maximum number of files, including the current one. */
  files: number;
}

/** Whether the path is a pipe, a terminal or another device, which cannot be renamed. */
const isDevice = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => !found.isFile() && !found.isDirectory(),
    () => false,
  );

/**
 * Appends lines to a file that is renamed when it is full: `log.json.1` is the newest of the old ones, and the oldest
 * is removed. Each delivery opens the file again: a failed one (a full disk) is repeated as a whole, and a file that
 * someone moved is created again. The returned function rejects with the file system's error.
 */
export function deliverToFile({ path, maxBytes, files }: FileOptions): Deliver {
  const nameOf = (index: number | Date | null): string =>
    `${basename(path)}${index === null ? "" : `.${String(index)}`}`;
  const folder = dirname(path);
  const options = { path: folder, size: `${maxBytes}B`, rotate: files - 1, mode: 0o600 };
  return async (lines) => {
    const text = lines.map((line) => `${line}\n`).join("");
    if (await isDevice(path)) return appendFile(path, text);
    const stream = createStream(nameOf, options);
    const written = finished(stream);
    stream.end(text);
    await written;
  };
}
