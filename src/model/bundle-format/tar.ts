import { gunzipSync, gzipSync } from "node:zlib";

// Own code: docs/adr/0015-own-tar-reader.md.
const BLOCK = 512;

const text = (block: Buffer, start: number, length: number): string =>
  block.toString("utf8", start, start + length).replace(/\0.*$/s, "");

/** The most that a system lets a path have, and the room for one and its neighbours in an extended header. */
const NAME_BYTES = 4096;
const HEADER_BYTES = 8192;
/** Folders in one another. */
const DEPTH = 64;
/** Per file: its own, an extended header and a folder. */
const ENTRIES_PER_FILE = 3;

/** The records that change where a file lies or how long it is; the others say who wrote it and when. */
const REFUSED_RECORD = /^(?:size|linkpath|GNU\.sparse)/;

interface PaxRecord {
  key: string;
  value: string;
  /** The beginning of the next one. */
  end: number;
}

/** A record such as `12 path=a/b` and a line end, as long as its number says. Throws UnsafeArchive: other programs could read another one. */
function readRecord(body: Buffer, at: number): PaxRecord {
  const [, digits = ""] = /^([1-9]\d{0,4}) /.exec(body.toString("latin1", at, at + 6)) ?? [];
  const end = at + Number(digits);
  const [, key, value = ""] = /^([^=]{1,200})=(.*)\n$/s.exec(body.toString("utf8", at + digits.length + 1, end)) ?? [];
  if (key === undefined || end > body.length || REFUSED_RECORD.test(key))
    throw new UnsafeArchive("an extended header differs from those that regular builds write");
  return { key, value, end };
}

/** The path in an extended header of PAX. */
function paxPath(body: Buffer): string | undefined {
  let path: string | undefined;
  for (let at = 0; at < body.length;) {
    const { key, value, end } = readRecord(body, at);
    if (key === "path") path = value;
    at = end;
  }
  return path;
}

/** The name of a plain file without a leading `./` or `/`. Throws for one that other programs could read as another one. */
function fileName(name: string): string {
  const plain = name.replace(/^(?:\.?\/)+/, "");
  if (plain.split("/").some((part) => part === "" || part === ".") || plain.includes("\0"))
    throw new UnsafeArchive(`${name.slice(0, 200)} is not a plain name of a file`);
  return plain;
}

interface Entry {
  name: string;
  /** One character: 0 or none is a plain file, x an extended header for the next entry. */
  type: string;
  body: Buffer;
}

/** Limits of an archive: a few bytes of gzip can contain gigabytes. */
export interface TarLimits {
  /** Size of the unpacked archive. */
  bytes: number;
  files: number;
}

const ROOM: TarLimits = { bytes: 512 * 1024 * 1024, files: 100_000 };

/**
 * Throws for an entry that is neither file nor folder, for a name outside of the archive, and for names and extended headers that no
 * regular build writes: a few bytes of gzip can contain a name of megabytes.
 */
function checkEntry({ type, body }: Entry, name: string): void {
  const quoted = name.slice(0, 200);
  // 0 or none: a file; 5: a folder; x and g: extended headers.
  if (!["0", "", "5", "x", "g"].includes(type)) throw new UnsafeArchive(`${quoted} is not a plain file`);
  if ((type === "x" || type === "g") && body.length > HEADER_BYTES)
    throw new UnsafeArchive(`an extended header has more than ${String(HEADER_BYTES)} bytes`);
  if (Buffer.byteLength(name) > NAME_BYTES)
    throw new UnsafeArchive(`the name ${quoted}… has more than ${String(NAME_BYTES)} bytes`);
  const folders = name.split("/");
  if (folders.length > DEPTH) throw new UnsafeArchive(`the name ${quoted}… has more than ${String(DEPTH)} parts`);
  if (folders.includes("..") || name.includes("\\")) throw new UnsafeArchive(`${quoted} leads out of the archive`);
}

/** An archive that a regular build never makes: with links, names outside of it, or over the limits. */
export class UnsafeArchive extends RangeError {}

/** The entries of a tar archive up to its first empty block. */
function* entries(tar: Buffer): Generator<Entry> {
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const head = tar.subarray(at, at + BLOCK);
    const size = Number.parseInt(text(head, 124, 12).trim(), 8);
    const body = tar.subarray(at + BLOCK, at + BLOCK + size);
    if (body.length !== size) throw new RangeError("the archive ends in the middle of a file");
    const prefix = text(head, 345, 155);
    yield { name: (prefix === "" ? "" : `${prefix}/`) + text(head, 0, 100), type: text(head, 156, 1), body };
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

function unpack(archive: Uint8Array, limit: number): Buffer {
  try {
    return gunzipSync(archive, { maxOutputLength: limit });
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new UnsafeArchive(`it unpacks to more than ${String(limit)} bytes`);
    throw thrown;
  }
}

/**
 * The plain files of a gzipped tar archive, by name without a leading `./` or `/`. Throws (zlib's or a RangeError) for
 * bytes that are invalid or truncated, an UnsafeArchive for links, names with `..`, `.` or nothing between slashes, names above 4,096 bytes or
 * that are there twice, extended headers that could be read otherwise, and archives over `limits`.
 */
export function readTar(archive: Uint8Array, limits: TarLimits = ROOM): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  let longName: string | undefined;
  let read = 0;
  const add = (name: string, body: Buffer): void => {
    if (files.has(name)) throw new UnsafeArchive(`${name.slice(0, 200)} is in it twice`);
    files.set(name, body);
  };
  for (const entry of entries(unpack(archive, limits.bytes))) {
    const { type, body } = entry;
    const name = longName ?? entry.name;
    read += 1;
    checkEntry(entry, name);
    if (type === "0" || type === "") add(fileName(name), body);
    if (files.size > limits.files || read > ENTRIES_PER_FILE * limits.files)
      throw new UnsafeArchive(`it holds more than ${String(limits.files)} files`);
    longName = type === "x" ? paxPath(body) : undefined;
  }
  if (files.size === 0) throw new RangeError("the archive holds no files");
  return files;
}

function header(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`the name is too long for a tar header: ${name}`);
  const block = Buffer.alloc(BLOCK);
  const put = (value: string, at: number): unknown => block.write(value, at, "utf8");
  put(name, 0);
  put("0000644\0", 100);
  put("0000000\0", 108);
  put("0000000\0", 116);
  put(`${size.toString(8).padStart(11, "0")}\0`, 124);
  put("00000000000\0", 136);
  put("        ", 148); // The checksum treats its own field as blanks.
  put("0", 156);
  put("ustar\0" + "00", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** A gzipped tar archive of `files`, sorted by name and without times or owners: equal files give equal bytes. */
export function writeTar(files: ReadonlyMap<string, Uint8Array>, level = 9): Buffer {
  const parts = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, body]) => [
      header(name, body.length),
      Buffer.from(body),
      Buffer.alloc(-body.length & (BLOCK - 1)),
    ]);
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level });
}
