import type { KeyObject } from "node:crypto";
import { sha256Digest } from "../../model/sha256.ts";
import type { Identity, Trust } from "./trust.ts";

/** The signer, or why a signature is not valid. */
export type Checked = { signer: string } | { reason: string };

/** `key sha256:…`: the SHA-256 of the public key's DER; cosign's hint is its base64. */
export const keyName = (key: KeyObject): string => `key ${sha256Digest(key.export({ type: "spki", format: "der" }))}`;

export const identityName = ({ issuer, subject }: Identity): string => `${subject} (${issuer})`;

/** The names of all trusted signers, as verification gives them. */
export const signerNames = ({ keys, identities }: Trust): ReadonlySet<string> =>
  new Set([...keys.map(keyName), ...identities.map(identityName)]);
