import { LandfallError } from "../../errors.ts";
import type { Registry } from "../registry/open-registry.ts";
import { type Reference, referenceTo } from "../registry/parse-reference.ts";
import { checkSignature } from "./check-signature.ts";
import { findSignatures } from "./find-signatures.ts";
import type { Checked } from "./key-name.ts";
import type { Trust } from "./trust.ts";

/** Signatures that are read in any case: all of their signers are named. Of more, one good one is enough. */
const ENOUGH = 32;
/** Ms after which no further signatures are read. */
const BUDGET_MS = 120_000;
/** Reasons that an error names. */
const SAID = 8;

async function check(registry: Registry, reference: Reference, digest: string, trust: Trust): Promise<Checked[]> {
  const checked: Checked[] = [];
  const end = performance.now() + BUDGET_MS;
  for await (const one of findSignatures(registry, reference, digest)) {
    checked.push(checkSignature(one, digest, trust));
    const verified = checked.length >= ENOUGH && checked.some((found) => "signer" in found);
    if (verified || performance.now() > end) break;
  }
  return checked;
}

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
  const checked = await check(registry, reference, digest, trust);
  if (checked.length === 0 && trust.mode === "optional") return [];
  if (checked.length === 0) throw new LandfallError("BUNDLE_UNSIGNED", { ref });
  const signers = checked.flatMap((one) => ("signer" in one ? [one.signer] : []));
  if (signers.length > 0) return [...new Set(signers)];
  const reasons = checked.flatMap((one) => ("reason" in one ? [one.reason] : []));
  throw new LandfallError("BUNDLE_SIGNATURE", { ref, detail: [...new Set(reasons)].slice(0, SAID).join("; ") });
}
