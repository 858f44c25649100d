import { table } from "../table.ts";

/** The fields of a public key after its type (RFC 4253, section 6.6; RFC 5656, section 3.1; RFC 8709, section 4). */
const FIELDS: Readonly<Record<string, (fields: readonly Buffer[]) => boolean>> = table({
  "ssh-ed25519": ([key, ...more]) => key?.length === 32 && more.length === 0,
  "ssh-rsa": ([exponent, modulus, ...more]) =>
    exponent !== undefined && (modulus?.length ?? 0) >= 128 && more.length === 0,
  "ecdsa-sha2-nistp256": (fields) => isCurve("nistp256", 65, fields),
  "ecdsa-sha2-nistp384": (fields) => isCurve("nistp384", 97, fields),
  "ecdsa-sha2-nistp521": (fields) => isCurve("nistp521", 133, fields),
});

const isCurve = (name: string, bytes: number, [curve, point, ...more]: readonly Buffer[]): boolean =>
  curve?.toString("latin1") === name && point?.length === bytes && more.length === 0;

/** The fields of a key's bytes, each after its length in four bytes; null if the last is cut off. */
function fieldsOf(bytes: Buffer): Buffer[] | null {
  const fields: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = at + 4 > bytes.length ? Infinity : at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

/** Whether a line of a `.pub` file holds a whole key of the type that it names. RSA keys have at least 1024 bits. */
export function isPublicKey(line: string): boolean {
  const [type = "", text = ""] = line.split(" ");
  const [name, ...fields] = fieldsOf(Buffer.from(text, "base64")) ?? [];
  return name?.toString("latin1") === type && FIELDS[type]?.(fields) === true;
}

/** The type that the bytes of a key name; null if the text is not the beginning of one. */
export const keyTypeOf = (text: string): string | null => {
  const [name] = fieldsOf(Buffer.from(text, "base64")) ?? [];
  const type = name?.toString("latin1") ?? "";
  return Object.hasOwn(FIELDS, type) ? type : null;
};
