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

/** An extended header that gives the next entry this name. */
export const nameHeader = (name: Uint8Array): Buffer =>
  tarEntry("x", "x", Buffer.concat([Buffer.from("99 path="), name, Buffer.from("\n")]));
