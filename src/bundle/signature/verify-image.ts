import { LandfallError } from "../../errors.ts";
import type { Registry } from "../registry/open-registry.ts";
import { type Reference, referenceTo } from "../registry/parse-reference.ts";
import { checkSignature } from "./check-signature.ts";
import { findSignatures } from "./find-signatures.ts";
import type { Trust } from "./trust.ts";

/**
 * Who of the trusted signed the image of this digest; empty where the mode lets an unsigned one pass. Throws BUNDLE_UNSIGNED
 * where there is no signature, BUNDLE_SIGNATURE where there are some but none of them counts, BUNDLE_REGISTRY_….
 */
export async function verifyImage(
  registry: Registry,
  reference: Reference,
  digest: string,
  trust: Trust,
): Promise<string[]> {
  if (trust.mode === "off") return [];
  const ref = referenceTo(reference, digest);
  const found = await findSignatures(registry, reference, digest);
  if (found.length === 0 && trust.mode === "optional") return [];
  if (found.length === 0) throw new LandfallError("BUNDLE_UNSIGNED", { ref });
  const checked = found.map((one) => checkSignature(one, digest, trust));
  const signers = checked.flatMap((one) => ("signer" in one ? [one.signer] : []));
  if (signers.length > 0) return [...new Set(signers)];
  const reasons = checked.flatMap((one) => ("reason" in one ? [one.reason] : []));
  throw new LandfallError("BUNDLE_SIGNATURE", { ref, detail: [...new Set(reasons)].join("; ") });
}
