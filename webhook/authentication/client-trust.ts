import type { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { certificatesIn } from "../../src/cluster/client/certificates-in.ts";
import type { WebhookFlags } from "../../src/flags/webhook-options.ts";
import { LandfallError, messageOf } from "../../src/errors.ts";

/** A certificate that signs no other one verifies no caller, unless it is the caller's own and self-signed. */
const verifies = (one: X509Certificate): boolean => one.ca || one.checkIssued(one);

/** Reads the CA of the API server's certificate. Throws ADM_CLIENT_CA if it can verify no caller. */
async function readAuthority(file: string): Promise<string> {
  const refused = (detail: string, thrown?: unknown) => new LandfallError("ADM_CLIENT_CA", { file, detail }, thrown);
  try {
    const text = await readFile(file, "utf8");
    const certificates = certificatesIn(text);
    if (certificates.length === 0) throw refused("it holds no certificate");
    const other = certificates.find((one) => !verifies(one));
    if (other !== undefined) throw refused(`the certificate of ${other.subject.replaceAll("\n", ", ")} is of no CA`);
    return text;
  } catch (thrown) {
    throw thrown instanceof LandfallError ? thrown : refused(messageOf(thrown), thrown);
  }
}

type TrustFlags = Pick<WebhookFlags, "door" | "clientCa" | "clientName">;

/**
 * The CA and the common name of the API server's certificate; empty where none is expected. Throws ADM_DOOR for one without the
 * other, and where the door needs both. Throws ADM_CLIENT_CA.
 */
export async function readClientTrust({ door, clientCa, clientName }: TrustFlags) {
  if (clientCa !== undefined && clientName !== undefined)
    return { clientCa: await readAuthority(clientCa), clientName };
  if (door === "client-certificate")
    throw new LandfallError("ADM_DOOR", { door, detail: "needs --client-ca and --client-name" });
  if (clientCa !== undefined || clientName !== undefined)
    throw new LandfallError("ADM_DOOR", { door, detail: "has --client-ca or --client-name without the other" });
  return { clientCa: "", clientName: "" };
}
