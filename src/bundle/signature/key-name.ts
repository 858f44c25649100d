import type { KeyObject } from "node:crypto";
import { sha256Digest } from "../../model/sha256.ts";

/** Who signed, or why a signature does not count. */
export type Checked = { signer: string } | { reason: string };

/** `key sha256:…`: the SHA-256 of the public key's DER, of which cosign's hint is the base64. */
export const keyName = (key: KeyObject): string => `key ${sha256Digest(key.export({ type: "spki", format: "der" }))}`;
