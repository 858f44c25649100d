import { LandfallError, messageOf } from "../errors.ts";
import { isObject } from "../model/json.ts";

interface BundleFile {
  name: string;
  ref: string;
  /** Bytes. */
  most: number;
}

/**
 * The object in a file of a bundle, which has to be there. Throws BUNDLE_UNREADABLE, and BUNDLE_LIMIT above
 * `most` bytes, before anything is parsed.
 */
export function readJsonFile(file: Buffer | undefined, { name, ref, most }: BundleFile): Record<string, unknown> {
  if (file === undefined) throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `it holds no ${name}` });
  if (file.length > most) {
    const detail = `${name} has ${String(file.length)} bytes; at most ${String(most)} are allowed`;
    throw new LandfallError("BUNDLE_LIMIT", { ref, detail });
  }
  try {
    const value: unknown = JSON.parse(file.toString("utf8"));
    if (isObject(value)) return value;
  } catch (thrown) {
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `${name}: ${messageOf(thrown)}` }, thrown);
  }
  throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `${name} is not an object` });
}
