import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { stringify } from "yaml";
import type { PemPair } from "../../certificates/issue-certificate.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

export interface KubeconfigInput {
  server: string;
  /** PEM of the API server's CA. */
  authority: string;
  user: string;
  client: PemPair;
  namespace: string;
}

const clientData = (client: PemPair): Record<string, string> => ({
  "client-certificate-data": base64(client.certificate),
  "client-key-data": base64(client.key),
});

/** Writes a kubeconfig with embedded certificates, so that it works from any folder. */
export async function writeKubeconfig(file: string, input: KubeconfigInput): Promise<void> {
  await write(file, {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "landfall",
    clusters: [
      { name: "landfall", cluster: { server: input.server, "certificate-authority-data": base64(input.authority) } },
    ],
    users: [{ name: input.user, user: clientData(input.client) }],
    contexts: [{ name: "landfall", context: { cluster: "landfall", user: input.user, namespace: input.namespace } }],
  });
}

/** Writes the file with the client certificate that the API server shows to webhooks on any port. */
export async function writeWebhookKubeconfig(file: string, client: PemPair): Promise<void> {
  await write(file, { apiVersion: "v1", kind: "Config", users: [{ name: "*", user: clientData(client) }] });
}

async function write(file: string, config: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, stringify(config), { mode: 0o600 });
}
