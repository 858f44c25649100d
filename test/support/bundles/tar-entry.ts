/** One entry of a tar archive as it is, whatever its name and type (0 a file, 5 a folder, x an extended header). */
export function tarEntry(name: string, type: string, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(512);
  header.write(name);
  header.write("0000644\0", 100);
  header.write(`${body.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write(type, 156);
  header.write("ustar\x0000", 257);
  return Buffer.concat([header, body, Buffer.alloc(-body.length & 511)]);
}

/** A record of an extended header, which begins with its own length. */
export function paxRecord(key: string, value: Uint8Array | string): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from("\n")]);
  const digits = [1, 2, 3, 4, 5, 6, 7, 8].find((count) => String(rest.length + count).length === count) ?? 0;
  return Buffer.concat([Buffer.from(String(rest.length + digits)), rest]);
}

/** An extended header that gives the next entry this name. */
export const nameHeader = (name: Uint8Array): Buffer => tarEntry("x", "x", paxRecord("path", name));
