import "reflect-metadata";
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

// Keyless signatures as sigstore makes them: Fulcio's certificate with its entry in the log of certificates (RFC 6962), and Rekor's
// promise that the signature is in its log.

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const OID_ISSUER = "1.3.6.1.4.1.57264.1.8";
const OID_SCT = "1.3.6.1.4.1.11129.2.4.2";
const VALID_MS = 600_000;

interface Log {
  key: KeyObject;
  id: Buffer;
  spki: Buffer;
}

function newLog(): Log {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  return { key: privateKey, spki, id: createHash("sha256").update(spki).digest() };
}

const bigEndian = (value: number | bigint, bytes: number): Buffer =>
  Buffer.from(
    BigInt(value)
      .toString(16)
      .padStart(bytes * 2, "0"),
    "hex",
  );

/** A DER value with its tag and length. */
function der(tag: number, body: Buffer): Buffer {
  const { length } = body;
  const long = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...long]), body]);
}

/** The list of one signed timestamp, for a certificate without it. */
function timestampsOf(log: Log, issuerKey: Buffer, tbs: Buffer): Buffer {
  const time = bigEndian(Date.now(), 8);
  const precertificate = Buffer.concat([
    createHash("sha256").update(issuerKey).digest(),
    bigEndian(tbs.length, 3),
    tbs,
  ]);
  const signed = Buffer.concat([Buffer.from([0, 0]), time, bigEndian(1, 2), precertificate, bigEndian(0, 2)]);
  const signature = sign("sha256", signed, log.key);
  const head = Buffer.concat([Buffer.from([0]), log.id, time, bigEndian(0, 2), Buffer.from([4, 3])]);
  const one = Buffer.concat([head, bigEndian(signature.length, 2), signature]);
  return Buffer.concat([bigEndian(one.length + 2, 2), bigEndian(one.length, 2), one]);
}

/** The part of a certificate that its CA signs. */
function signedPart(certificate: x509.X509Certificate): Buffer {
  const raw = Buffer.from(certificate.rawData);
  // Both lengths take two bytes: SEQUENCE { SEQUENCE tbs, … }.
  const inner = raw.subarray(4);
  return inner.subarray(0, 4 + inner.readUInt16BE(2));
}

export interface Signature {
  /** PEM. */
  certificate: string;
  /** Base64. */
  signature: string;
  /** A sigstore bundle, JSON. */
  bundle: string;
}

export interface SigstoreDouble {
  /** A trusted_root.json. */
  root: string;
  sign: (file: Buffer, identity: string, issuer: string) => Promise<Signature>;
}

/** A CA and two logs of their own. */
export async function startSigstore(): Promise<SigstoreDouble> {
  const [certificates, signatures] = [newLog(), newLog()];
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const validity = { notBefore: new Date(Date.now() - 3600_000), notAfter: new Date(Date.now() + 3600_000) };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: "CN=fulcio", keys, signingAlgorithm: ALGORITHM, ...validity },
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });

  async function issue(
    identity: string,
    issuer: string,
  ): Promise<{ certificate: x509.X509Certificate; key: KeyObject }> {
    const leaf = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
    const extensions = [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.3"]),
      await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
      new x509.SubjectAlternativeNameExtension([{ type: "email", value: identity }], true),
      new x509.Extension(OID_ISSUER, false, der(0x0c, Buffer.from(issuer))),
    ];
    const now = Date.now();
    const common = {
      ...{ serialNumber: "0a0b0c", subject: "", issuer: "CN=fulcio", publicKey: leaf.publicKey },
      ...{ signingKey: keys.privateKey, signingAlgorithm: ALGORITHM },
      ...{ notBefore: new Date(now - 1000), notAfter: new Date(now + VALID_MS) },
    };
    const before = await x509.X509CertificateGenerator.create({ ...common, extensions });
    const list = timestampsOf(certificates, Buffer.from(ca.publicKey.rawData), signedPart(before));
    const logged = [...extensions, new x509.Extension(OID_SCT, false, der(0x04, list))];
    const certificate = await x509.X509CertificateGenerator.create({ ...common, extensions: logged });
    const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", leaf.privateKey));
    return { certificate, key: createPrivateKey({ key: pkcs8, type: "pkcs8", format: "der" }) };
  }

  const logRoot = ({ id, spki }: Log) => ({
    ...{ baseUrl: "https://log.example", hashAlgorithm: "SHA2_256", logId: { keyId: id.toString("base64") } },
    publicKey: {
      ...{ rawBytes: spki.toString("base64"), keyDetails: "PKIX_ECDSA_P256_SHA_256" },
      validFor: { start: "2020-01-01T00:00:00Z" },
    },
  });
  const root = {
    mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    tlogs: [logRoot(signatures)],
    certificateAuthorities: [
      {
        ...{ subject: { organization: "test", commonName: "fulcio" }, uri: "https://fulcio.example" },
        certChain: { certificates: [{ rawBytes: Buffer.from(ca.rawData).toString("base64") }] },
        validFor: { start: "2020-01-01T00:00:00Z" },
      },
    ],
    ctlogs: [logRoot(certificates)],
    timestampAuthorities: [],
  };

  function entryOf(digest: Buffer, signature: Buffer, certificate: string): object {
    const body = {
      ...{ apiVersion: "0.0.1", kind: "hashedrekord" },
      spec: {
        data: { hash: { algorithm: "sha256", value: digest.toString("hex") } },
        signature: { content: signature.toString("base64"), publicKey: { content: btoa(certificate) } },
      },
    };
    const canonical = Buffer.from(JSON.stringify(body)).toString("base64");
    const integratedTime = Math.floor(Date.now() / 1000);
    const promised = `{"body":"${canonical}","integratedTime":${String(integratedTime)},"logID":"${signatures.id.toString("hex")}","logIndex":7}`;
    const promise = sign("sha256", Buffer.from(promised), signatures.key).toString("base64");
    return {
      ...{ logIndex: "7", logId: { keyId: signatures.id.toString("base64") } },
      ...{ kindVersion: { kind: "hashedrekord", version: "0.0.1" }, integratedTime: String(integratedTime) },
      ...{ inclusionPromise: { signedEntryTimestamp: promise }, canonicalizedBody: canonical },
    };
  }

  return {
    root: JSON.stringify(root),
    sign: async (file, identity, issuer) => {
      const { certificate, key } = await issue(identity, issuer);
      const digest = createHash("sha256").update(file).digest();
      const signature = sign("sha256", file, key);
      const pem = certificate.toString("pem");
      const chain = { certificates: [{ rawBytes: Buffer.from(certificate.rawData).toString("base64") }] };
      const bundle = {
        mediaType: "application/vnd.dev.sigstore.bundle+json;version=0.1",
        verificationMaterial: { x509CertificateChain: chain, tlogEntries: [entryOf(digest, signature, pem)] },
        messageSignature: {
          messageDigest: { algorithm: "SHA2_256", digest: digest.toString("base64") },
          signature: signature.toString("base64"),
        },
      };
      return { certificate: pem, signature: signature.toString("base64"), bundle: JSON.stringify(bundle) };
    },
  };
}
