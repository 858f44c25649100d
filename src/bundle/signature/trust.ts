import type { KeyObject } from "node:crypto";
import type { TrustedRoot } from "@sigstore/protobuf-specs";

/** Who may sign without a key of their own: an OIDC identity, as Fulcio certified it. Both have to be equal. */
export interface Identity {
  issuer: string;
  subject: string;
}

/**
 * `required`: no bundle without a good signature. `optional`: one without any signature is used too, but never one whose
 * signatures are all bad. `off`: no one looks.
 */
export type SignatureMode = "required" | "optional" | "off";

export interface Trust {
  mode: SignatureMode;
  /** Public keys. */
  keys: readonly KeyObject[];
  identities: readonly Identity[];
  /** Certificate authorities and logs of keyless signatures (sigstore's trusted_root.json); null where none is trusted. */
  root: TrustedRoot | null;
  /** A bundle that names another channel is not used, no matter who signed it; undefined for any. */
  channel?: string | undefined;
}
