// The text of the annotation landfall.dev/seal: what a decision was signed for, and the signature itself.

/**
 * `create`: for a new object, whose uid is not known yet. `uid`: for the object with this uid. `preview`: in a dry run, for no
 * object that is stored. `offer`: for an unauthenticated caller; nothing is installed before a controller had it confirmed.
 */
export type SignatureUse = "create" | "uid" | "preview" | "offer";

/** What a signature says besides the decision. */
export interface SignatureClaim {
  use: SignatureUse;
  /** When it was signed, in seconds since 1970. */
  at: number;
  /** The uid, or a nonce: 32 hex digits. */
  id: string;
}

export interface Signature extends SignatureClaim {
  keyId: string;
  /** SHA-256 of the whole spec, 64 hex digits; null in the form v2, which does not cover it. */
  spec: string | null;
  /** HMAC-SHA-256 as base64url. */
  mac: string;
}

/** The form of versions 0.1.0 and 0.2.0: a signature alone. */
export interface LegacySignature {
  use: "legacy";
  mac: string;
}

const SIGNATURE =
  /^v(?:2|3)\.(create|uid|preview|offer)\.([0-9a-f]{8})\.(\d{1,12})\.([0-9A-Za-z-]{1,64})\.(?:([0-9a-f]{64})\.)?([\w-]{43})$/;
const LEGACY = /^[\w-]{22}$/;

export const formatSignature = ({ use, keyId, at, id, spec, mac }: Signature): string =>
  spec === null
    ? ["v2", use, keyId, String(at), id, mac].join(".")
    : ["v3", use, keyId, String(at), id, spec, mac].join(".");

/** Null for a text that `formatSignature` and earlier versions could not have written. */
export function parseSignature(text: string): Signature | LegacySignature | null {
  if (LEGACY.test(text)) return { use: "legacy", mac: text };
  const [, use, keyId = "", at, id = "", spec, mac = ""] = SIGNATURE.exec(text) ?? [];
  if (use === undefined || text.startsWith("v3") !== (spec !== undefined)) return null;
  return { use: use as SignatureUse, keyId, at: Number(at), id, spec: spec ?? null, mac };
}
