import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { isObject } from "../../model/json.ts";

/** Helm's release as it stores it. */
export type StoredRelease = Record<string, unknown>;

/** Bytes that a release from a tenant's namespace may have when it is unpacked. Helm's own have below 1 MB. */
const MAX_BYTES = 8 * 1024 * 1024;

const [inflate, deflate] = [promisify(gunzip), promisify(gzip)];

/** Unpacks JSON from base64 of gzip. Rejects what has more than `maxBytes`, and what is not a JSON object. */
export async function unpackJson(packed: string, maxBytes: number): Promise<Record<string, unknown>> {
  const bytes = await inflate(Buffer.from(packed, "base64"), { maxOutputLength: maxBytes });
  const value: unknown = JSON.parse(bytes.toString());
  if (isObject(value)) return value;
  throw new TypeError("it holds no JSON object");
}

/** The opposite of `unpackJson`. */
export const packJson = async (value: unknown): Promise<string> =>
  (await deflate(Buffer.from(JSON.stringify(value)))).toString("base64");

/** Reads `data.release` of helm's Secret: base64 of gzip of JSON, and base64 again for the Secret. Rejects more than 8 MiB. */
export const decodeRelease = (data: string): Promise<StoredRelease> =>
  unpackJson(Buffer.from(data, "base64").toString("latin1"), MAX_BYTES);

/** Writes `data.release` of helm's Secret. */
export const encodeRelease = async (release: StoredRelease): Promise<string> =>
  Buffer.from(await packJson(release), "latin1").toString("base64");

/** The manifest that a release installed. */
export const manifestIn = (release: StoredRelease): string =>
  typeof release["manifest"] === "string" ? release["manifest"] : "";

/** The values that a release was given, without the chart's own. */
export const valuesIn = (release: StoredRelease): Record<string, unknown> =>
  isObject(release["config"]) ? release["config"] : {};
