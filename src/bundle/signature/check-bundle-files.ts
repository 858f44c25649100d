import { type KeyObject, verify } from "node:crypto";
import { messageOf } from "../../errors.ts";
import { isObject, textOf } from "../../model/json.ts";
import { hashBundleFile, SIGNATURES_FILE } from "./sign-bundle-files.ts";
import { type Checked, keyName } from "./key-name.ts";

/** The algorithm for this type of key: the token's own claim is ignored. */
const algorithmOf = (key: KeyObject): string => (key.asymmetricKeyType === "rsa" ? "RS256" : "ES256");

const decode = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as unknown;

function signerOf(token: string, keys: readonly KeyObject[]): KeyObject | undefined {
  const [head = "", body = "", signature = ""] = token.split(".");
  const header = decode(head);
  const signed = Buffer.from(`${head}.${body}`);
  return keys.find(
    (key) =>
      isObject(header) &&
      header["alg"] === algorithmOf(key) &&
      verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url")),
  );
}

/**
 * The difference between the files and the signed ones; null if there is none. Names come first: nothing is parsed for a signature
 * that names other files.
 */
function difference(files: ReadonlyMap<string, Buffer>, token: string, isChecked: IsChecked): string | null {
  const payload = decode(token.split(".")[1] ?? "");
  const list: unknown = isObject(payload) ? payload["files"] : undefined;
  if (!Array.isArray(list)) return "it names no files";
  const signed = new Map(
    list.flatMap((entry: unknown) =>
      isObject(entry) ? [[textOf(entry["name"]).replace(/^\//, ""), entry["hash"]]] : [],
    ),
  );
  const present = [...files].filter(([name]) => name !== SIGNATURES_FILE);
  const unnamed = present.find(([name]) => !signed.has(name));
  if (unnamed !== undefined) return `${unnamed[0]} is not as it was signed`;
  const missing = [...signed.keys()].find((name) => !files.has(name));
  if (missing !== undefined) return `${missing} was signed, but is gone`;
  const changed = present.find(([name, body]) => isChecked(name) && signed.get(name) !== hashBundleFile(name, body));
  return changed === undefined ? null : `${changed[0]} is not as it was signed`;
}

/** Read before anything of it is verified. That of 1,000 files, the most that a bundle has, takes a fifth of this. */
const SIGNATURES_BYTES = 1024 * 1024;

function tokenOf(body: Buffer): string {
  if (body.length > SIGNATURES_BYTES) throw new RangeError(`it has more than ${String(SIGNATURES_BYTES)} bytes`);
  const value: unknown = JSON.parse(body.toString("utf8"));
  const list: unknown = isObject(value) ? value["signatures"] : undefined;
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return typeof first === "string" ? first : "";
}

/** Which files are compared with what was signed of them. Their names always are. */
type IsChecked = (name: string) => boolean;

/** Verifies opa's own `.signatures.json` against the files; null if there is none. Never throws. */
export function checkBundleFiles(
  files: ReadonlyMap<string, Buffer>,
  keys: readonly KeyObject[],
  isChecked: IsChecked = () => true,
): Checked | null {
  const body = files.get(SIGNATURES_FILE);
  if (body === undefined) return null;
  try {
    const token = tokenOf(body);
    const key = signerOf(token, keys);
    if (key === undefined) return { reason: `none of the trusted keys made ${SIGNATURES_FILE}` };
    const wrong = difference(files, token, isChecked);
    return wrong === null ? { signer: keyName(key) } : { reason: wrong };
  } catch (thrown) {
    return { reason: `${SIGNATURES_FILE}: ${messageOf(thrown)}` };
  }
}
