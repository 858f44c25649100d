import { appendFile, rename, stat } from "node:fs/promises";
import type { Deliver } from "./line-buffer.ts";

export interface FileOptions {
  path: string;
  /** Bytes after which a new file begins. */
  maxBytes: number;
  /** How many files there are at most, the current one included. */
  files: number;
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/** `log.json.1` is the newest of the old ones; the oldest is written over. */
async function rotate({ path, files }: FileOptions): Promise<void> {
  for (let number = files - 1; number > 0; number -= 1) {
    const from = number === 1 ? path : `${path}.${String(number - 1)}`;
    // One that is not there yet needs no new name.
    await rename(from, `${path}.${String(number)}`).catch(() => undefined);
  }
}

/** Appends lines to a file that is renamed when it is full. */
export function deliverToFile(options: FileOptions): Deliver {
  return async (lines) => {
    const text = lines.map((line) => `${line}\n`).join("");
    if ((await sizeOf(options.path)) + Buffer.byteLength(text) > options.maxBytes) await rotate(options);
    await appendFile(options.path, text, { mode: 0o600 });
  };
}
