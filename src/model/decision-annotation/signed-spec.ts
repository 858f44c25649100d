import { canonicalJson } from "../json.ts";
import { sha256 } from "../sha256.ts";

type Spec = Readonly<Record<string, unknown>> | undefined;

/**
 * SHA-256 of a whole spec, 64 hex digits. Without `global`: composition controllers write it, and ours replaces what it finds
 * there.
 */
export function specDigest(spec: Spec): string {
  const { global: _, ...signed } = spec ?? {};
  return sha256(canonicalJson(signed));
}

interface Signed {
  /** SHA-256 of the spec that was signed; null in the forms that do not cover it. */
  spec: string | null;
  signature: { use: string };
}

/**
 * `accepted`: admission signed this spec. `changed`: it signed another one, or only offered this one. `unknown`: the signature is of a form that does not cover
 * the spec.
 */
export type SpecStanding = "accepted" | "changed" | "unknown";

export function specStanding({ spec: signed, signature }: Signed, { spec }: { spec?: Spec }): SpecStanding {
  if (signed === null) return "unknown";
  return signature.use !== "offer" && signed === specDigest(spec) ? "accepted" : "changed";
}

/** Whether a signature covers this spec, also that of an offer. */
export const coversSpec = ({ spec: signed }: Signed, { spec }: { spec?: Spec }): boolean => signed === specDigest(spec);
