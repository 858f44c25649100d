import type { HelmSecret } from "../record/write-copy.ts";

// client-go sends Secrets as Protocol Buffers. Field numbers: https://github.com/kubernetes/api/blob/master/core/v1/generated.proto

/** The bytes with which Kubernetes marks Protocol Buffers. */
const MAGIC = Buffer.from("k8s\0");
/** Wire types of Protocol Buffers. */
const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5] as const;

function readVarint(bytes: Buffer, from: number): [value: number, next: number] {
  let value = 0;
  for (let at = from, factor = 1; at < bytes.length && at < from + 8; at += 1, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return [value, at + 1];
  }
  throw new RangeError("a number is not complete");
}

function lengthOf(bytes: Buffer, wire: number, at: number): [length: number, start: number] {
  if (wire === FIXED64) return [8, at];
  if (wire === FIXED32) return [4, at];
  const [value, next] = readVarint(bytes, at);
  if (wire === VARINT) return [next - at, at];
  if (wire === BYTES) return [value, next];
  throw new RangeError(`unknown wire type ${wire}`);
}

/** The byte fields of a message with this number. */
function fieldsOf(bytes: Buffer, field: number): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const [key, next] = readVarint(bytes, at);
    const [length, start] = lengthOf(bytes, key % 8, next);
    at = start + length;
    if (at > bytes.length) throw new RangeError("a field is not complete");
    if (Math.floor(key / 8) === field && key % 8 === BYTES) found.push(bytes.subarray(start, at));
  }
  return found;
}

const fieldOf = (bytes: Buffer, field: number): Buffer => fieldsOf(bytes, field)[0] ?? Buffer.alloc(0);
const textOf = (bytes: Buffer, field: number): string => fieldOf(bytes, field).toString();

const mapOf = (bytes: Buffer, field: number, encoding: "utf8" | "base64"): Record<string, string> =>
  Object.fromEntries(fieldsOf(bytes, field).map((entry) => [textOf(entry, 1), fieldOf(entry, 2).toString(encoding)]));

/** Reads a Secret that a client sent, as JSON or as Protocol Buffers. Throws for anything else. */
export function readSecret(body: Buffer): HelmSecret {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) return JSON.parse(body.toString()) as HelmSecret;
  const secret = fieldOf(body.subarray(MAGIC.length), 2);
  const metadata = fieldOf(secret, 1);
  return {
    metadata: { name: textOf(metadata, 1), labels: mapOf(metadata, 11, "utf8") },
    data: mapOf(secret, 2, "base64"),
    type: textOf(secret, 3),
  };
}
