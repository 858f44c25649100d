import { createHash, X509Certificate } from "node:crypto";
import { bundleFromJSON, toMessageSignatureBundle, type TransparencyLogEntry } from "@sigstore/bundle";
import { TrustedRoot } from "@sigstore/protobuf-specs";
import { type SignedEntity, toSignedEntity, toTrustMaterial, Verifier, type VerifierOptions } from "@sigstore/verify";
import type { ToolSignature } from "../tool-spec.ts";

/** Who must have signed, by which root: a trusted_root.json of sigstore. */
export interface SignatureInput extends Pick<ToolSignature, "issuer" | "identity"> {
  trustedRoot: string;
}

/** Kubernetes publishes the certificate as base64 of PEM. */
function readCertificate(text: string): X509Certificate {
  const pem = text.includes("BEGIN CERTIFICATE") ? text : Buffer.from(text, "base64").toString("utf8");
  return new X509Certificate(pem);
}

function verify(entity: SignedEntity, input: SignatureInput, options: VerifierOptions): void {
  const material = toTrustMaterial(TrustedRoot.fromJSON(JSON.parse(input.trustedRoot)));
  const { identity } = new Verifier(material, options).verify(entity);
  const name = identity?.subjectAlternativeName ?? "";
  const issuer = identity?.extensions?.issuer ?? "";
  if (name !== input.identity || issuer !== input.issuer)
    throw new RangeError(`${name} (${issuer}) signed it, not ${input.identity} (${input.issuer})`);
}

/**
 * Verifies a sigstore bundle: the certificate of sigstore's CA, its entry in the log of certificates, the signature, and its entry in the
 * log of signatures, which proves that it was made while the certificate was valid. Throws if anything is wrong.
 */
export function verifyBundle(file: Buffer, text: string, input: SignatureInput): void {
  const bundle = bundleFromJSON(JSON.parse(text));
  // The signature of an envelope is about the envelope, not about this file.
  if (bundle.content.$case !== "messageSignature") throw new RangeError("the bundle signs a statement, not the file");
  verify(toSignedEntity(bundle, file), input, {});
}

/** A time for which the certificate is verified. The verifier takes times of log entries only. */
const claimedTime = (time: Date): TransparencyLogEntry => ({
  integratedTime: String(Math.floor(time.getTime() / 1000)),
  inclusionPromise: { signedEntryTimestamp: Buffer.alloc(0) },
  ...{ logIndex: "0", logId: { keyId: Buffer.alloc(0) }, kindVersion: { kind: "", version: "" } },
  ...{ inclusionProof: undefined, canonicalizedBody: Buffer.alloc(0) },
});

/**
 * Verifies a signature with its certificate in a second file, as Kubernetes publishes them: all that `verifyBundle` does except for the log of
 * signatures, which would have to be asked. So the signature counts as made when the certificate was. Throws if anything is wrong.
 */
export function verifySigned(file: Buffer, signature: string, certificate: string, input: SignatureInput): void {
  const leaf = readCertificate(certificate);
  const bundle = toMessageSignatureBundle({
    digest: createHash("sha256").update(file).digest(),
    signature: Buffer.from(signature, "base64"),
    certificate: leaf.raw,
  });
  const made = claimedTime(new Date(leaf.validFrom));
  const entity: SignedEntity = {
    ...toSignedEntity(bundle, file),
    timestamps: [{ $case: "transparency-log", tlogEntry: made }],
  };
  verify(entity, input, { tlogThreshold: 0 });
}
