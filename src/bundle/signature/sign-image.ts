import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { LandfallError } from "../../errors.ts";
import { sha256 } from "../../model/sha256.ts";
import { IMAGE_MANIFEST } from "../media-types.ts";
import type { Reference } from "../registry/parse-reference.ts";
import { pushImage, type PushTarget } from "../registry/push-image.ts";
import { SIGN_PREDICATE } from "./check-signature.ts";
import { SIGSTORE_BUNDLE } from "./find-signatures.ts";

const PAYLOAD_TYPE = "application/vnd.in-toto+json";
const EMPTY = { mediaType: "application/vnd.oci.empty.v1+json", bytes: Buffer.from("{}") };

/** The text that DSSE signs: type and body, each with its length (https://github.com/secure-systems-lab/dsse). */
function preAuthEncoding(payload: Buffer): Buffer {
  const head = `DSSEv1 ${String(PAYLOAD_TYPE.length)} ${PAYLOAD_TYPE} ${String(payload.length)} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

function sigstoreBundle(payload: Buffer, key: KeyObject): unknown {
  const der = createPublicKey(key).export({ type: "spki", format: "der" });
  return {
    mediaType: SIGSTORE_BUNDLE,
    verificationMaterial: { publicKey: { hint: Buffer.from(sha256(der), "hex").toString("base64") } },
    dsseEnvelope: {
      payload: payload.toString("base64"),
      payloadType: PAYLOAD_TYPE,
      signatures: [{ sig: sign("sha256", preAuthEncoding(payload), key).toString("base64") }],
    },
  };
}

/** The signed content: the digest and the size in bytes of the image's manifest. */
export interface SignedImage {
  digest: string;
  size: number;
}

/**
 * Signs an image as cosign 3 does with a key pair and no log: a sigstore bundle, pushed as a referrer of the image. The key
 * is ECDSA P-256 or RSA. Throws BUNDLE_KEY, BUNDLE_REGISTRY_….
 */
export async function signImage(
  target: Omit<PushTarget, "ref">,
  reference: Reference,
  { digest, size }: SignedImage,
  key: KeyObject,
): Promise<void> {
  if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1" && key.asymmetricKeyType !== "rsa")
    throw new LandfallError("BUNDLE_KEY", { file: "the signing key", detail: "it is neither ECDSA P-256 nor RSA" });
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ digest: { sha256: digest.replace("sha256:", "") }, annotations: {} }],
    predicateType: SIGN_PREDICATE,
    predicate: {},
  };
  const bundle = sigstoreBundle(Buffer.from(JSON.stringify(statement)), key);
  // Without a tag: it is found by what it refers to.
  const ref = `${reference.host}/${reference.repository}`;
  await pushImage(
    { ...target, ref },
    {
      config: EMPTY,
      layers: [{ mediaType: SIGSTORE_BUNDLE, bytes: Buffer.from(JSON.stringify(bundle)) }],
      fields: {
        artifactType: SIGSTORE_BUNDLE,
        subject: { mediaType: IMAGE_MANIFEST, digest, size },
        annotations: {
          "dev.sigstore.bundle.content": "dsse-envelope",
          "dev.sigstore.bundle.predicateType": SIGN_PREDICATE,
        },
      },
    },
  );
}
