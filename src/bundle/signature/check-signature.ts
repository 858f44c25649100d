import { type KeyObject, verify } from "node:crypto";
import { type Bundle, bundleFromJSON } from "@sigstore/bundle";
import { type Signer, toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";
import { messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import type { FoundSignature } from "./find-signatures.ts";
import { type Checked, identityName, keyName } from "./key-name.ts";
import type { Identity, Trust } from "./trust.ts";

/** The predicate of cosign's signatures; other statements (provenance, SBOM) are not signatures. */
export const SIGN_PREDICATE = "https://sigstore.dev/cosign/sign/v1";

const EMPTY_ROOT = { mediaType: "", tlogs: [], certificateAuthorities: [], ctlogs: [], timestampAuthorities: [] };

/** Whether a statement says that this very image is signed. */
function isAbout(payload: Buffer, digest: string): boolean {
  const statement: unknown = JSON.parse(payload.toString("utf8"));
  if (!isObject(statement) || statement["predicateType"] !== SIGN_PREDICATE) return false;
  const subjects: unknown = statement["subject"];
  return (
    Array.isArray(subjects) &&
    subjects.some(
      (subject: unknown) =>
        isObject(subject) && isObject(subject["digest"]) && subject["digest"]["sha256"] === digest.slice(7),
    )
  );
}

/** With our own key, the log adds nothing that can be verified without a root; the key must still match. */
function withoutLog(bundle: Bundle): Bundle {
  return { ...bundle, verificationMaterial: { ...bundle.verificationMaterial, tlogEntries: [] } };
}

function byKey(bundle: Bundle, keys: readonly KeyObject[]): Checked {
  const entity = toSignedEntity(withoutLog(bundle));
  for (const key of keys) {
    const material = toTrustMaterial(EMPTY_ROOT, () => ({ publicKey: key, validFor: () => true }));
    try {
      new Verifier(material, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 }).verify(entity);
      return { signer: keyName(key) };
    } catch {
      // Another key may match.
    }
  }
  return { reason: "none of the trusted keys made it" };
}

function byIdentity(bundle: Bundle, { identities, root }: Trust): Checked {
  if (root === null) return { reason: "it is keyless, and no trust root is set" };
  const signer: Signer = new Verifier(toTrustMaterial(root)).verify(toSignedEntity(bundle));
  const found: Identity = {
    issuer: signer.identity?.extensions?.issuer ?? "",
    subject: signer.identity?.subjectAlternativeName ?? "",
  };
  const known = identities.some(({ issuer, subject }) => issuer === found.issuer && subject === found.subject);
  return known ? { signer: identityName(found) } : { reason: `${identityName(found)} is not a trusted identity` };
}

function checkBundle(value: unknown, digest: string, trust: Trust): Checked {
  const bundle = bundleFromJSON(value);
  if (bundle.content.$case !== "dsseEnvelope") return { reason: "it signs no statement" };
  if (!isAbout(bundle.content.dsseEnvelope.payload, digest)) return { reason: "it is not about this image" };
  const keyless = bundle.verificationMaterial.content.$case !== "publicKey";
  return keyless ? byIdentity(bundle, trust) : byKey(bundle, trust.keys);
}

function isSimpleAbout(payload: Buffer, digest: string): boolean {
  const value: unknown = JSON.parse(payload.toString("utf8"));
  const critical = isObject(value) ? value["critical"] : undefined;
  const image = isObject(critical) ? critical["image"] : undefined;
  return isObject(image) && image["docker-manifest-digest"] === digest;
}

function checkSimple(payload: Buffer, signature: Buffer, digest: string, keys: readonly KeyObject[]): Checked {
  if (!isSimpleAbout(payload, digest)) return { reason: "it is not about this image" };
  const key = keys.find((one) => verify("sha256", payload, one, signature));
  return key === undefined ? { reason: "none of the trusted keys made it" } : { signer: keyName(key) };
}

/** Whether a found signature is from a trusted signer and for the image with this digest. Never throws. */
export function checkSignature(found: FoundSignature, digest: string, trust: Trust): Checked {
  try {
    if (found.kind === "bundle") return checkBundle(found.bundle, digest, trust);
    if (found.kind === "simple") return checkSimple(found.payload, found.signature, digest, trust.keys);
    return { reason: found.reason };
  } catch (thrown) {
    return { reason: messageOf(thrown) };
  }
}
