import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { keyPem } from "../../../src/certificates/issue-certificate.ts";

/** A self-signed certificate of 127.0.0.1 for this time. PEM. */
export async function certificateOf(notBefore: Date, notAfter: Date): Promise<{ certificate: string; key: string }> {
  const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=registry",
    keys,
    signingAlgorithm,
    notBefore,
    notAfter,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }])],
  });
  return { certificate: certificate.toString("pem"), key: await keyPem(keys) };
}
