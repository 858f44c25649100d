import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { issueAuthority, issueClient, issueKey, issueServer } from "../../certificates/issue-certificate.ts";
import type { PemPair, Subject } from "../../certificates/issue-certificate.ts";

export const SYSTEM_NAMESPACE = "landfall-system";
/** Common name of the certificate that the API server shows to webhooks. */
export const WEBHOOK_CLIENT = "kube-apiserver";

/** The user name of this service account, so that the same RBAC applies here and in a cluster. */
const serviceAccount = (name: string): Subject => ({
  commonName: `system:serviceaccount:${SYSTEM_NAMESPACE}:${name}`,
  organizations: ["system:serviceaccounts", `system:serviceaccounts:${SYSTEM_NAMESPACE}`],
});

export const CLIENTS = {
  admin: { commonName: "landfall-admin", organizations: ["system:masters"] },
  "controller-manager": { commonName: "system:kube-controller-manager" },
  webhook: serviceAccount("landfall-webhook"),
  composition: serviceAccount("landfall-composition"),
  simulators: serviceAccount("landfall-simulators"),
  elemento: serviceAccount("landfall-elemento"),
} as const satisfies Record<string, Subject>;
export type Client = keyof typeof CLIENTS;

export interface Pki {
  /** PEM of the CA of the API server and its clients. */
  authority: string;
  clients: Record<Client, PemPair>;
  /** The client certificate that the API server shows to webhooks. */
  webhookClient: PemPair;
  files: {
    authority: string;
    serverCertificate: string;
    serverKey: string;
    serviceAccountKey: string;
    serviceAccountPublicKey: string;
    /** CA of `webhookClient` alone: a webhook accepts no other client. */
    webhookClientAuthority: string;
  };
}

const SERVER_NAMES = [
  { type: "ip", value: "127.0.0.1" },
  // The first address of the service range, where clients inside a cluster would find the API server.
  { type: "ip", value: "10.0.0.1" },
  ...["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"].map(
    (value) => ({ type: "dns", value }) as const,
  ),
] as const;

/** Creates all keys and certificates and writes the files that the API server and the webhook read. */
export async function writePki(folder: string): Promise<Pki> {
  const [authority, webhookAuthority] = await Promise.all([
    issueAuthority("landfall local CA"),
    issueAuthority("landfall local webhook client CA"),
  ]);
  const [server, serviceAccounts, webhookClient, ...clients] = await Promise.all([
    issueServer(authority, "kube-apiserver", [...SERVER_NAMES]),
    issueKey(),
    issueClient(webhookAuthority, { commonName: WEBHOOK_CLIENT }),
    ...Object.entries(CLIENTS).map(async ([name, subject]) => [name, await issueClient(authority, subject)] as const),
  ]);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const write = async (name: string, text: string): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    return file;
  };
  const authorityPem = authority.certificate.toString("pem");
  return {
    authority: authorityPem,
    clients: Object.fromEntries(clients) as Record<Client, PemPair>,
    webhookClient,
    files: {
      authority: await write("ca.crt", authorityPem),
      serverCertificate: await write("apiserver.crt", server.certificate),
      serverKey: await write("apiserver.key", server.key),
      serviceAccountKey: await write("service-account.key", serviceAccounts.key),
      serviceAccountPublicKey: await write("service-account.pub", serviceAccounts.publicKey),
      webhookClientAuthority: await write("webhook-client-ca.crt", webhookAuthority.certificate.toString("pem")),
    },
  };
}
