import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Api } from "./connect-api.ts";
import { launch } from "./launch.ts";
import type { Stage } from "./launch.ts";
import { writeWebhookKubeconfig } from "./write-kubeconfig.ts";
import type { Pki } from "./write-pki.ts";

/** Tells the API server which certificate it shows to webhooks; they let nobody else in. */
async function writeAdmissionConfig(folder: string, pki: Pki): Promise<string> {
  const kubeConfigFile = join(folder, "webhook-client.kubeconfig");
  await writeWebhookKubeconfig(kubeConfigFile, pki.webhookClient);
  const apiVersion = "apiserver.config.k8s.io/v1";
  const configuration = { apiVersion, kind: "WebhookAdmissionConfiguration", kubeConfigFile };
  const plugins = ["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"].map((name) => ({ name, configuration }));
  const file = join(folder, "admission.yaml");
  await writeFile(file, stringify({ apiVersion, kind: "AdmissionConfiguration", plugins }));
  return file;
}

function flags(etcd: string, port: number, pki: Pki): Record<string, string> {
  const { files } = pki;
  return {
    "etcd-servers": etcd,
    "bind-address": "127.0.0.1",
    "secure-port": String(port),
    "external-hostname": "127.0.0.1",
    "tls-cert-file": files.serverCertificate,
    "tls-private-key-file": files.serverKey,
    "client-ca-file": files.authority,
    "anonymous-auth": "false",
    "authorization-mode": "RBAC",
    "service-account-issuer": "https://kubernetes.default.svc",
    "service-account-key-file": files.serviceAccountPublicKey,
    "service-account-signing-key-file": files.serviceAccountKey,
    "service-cluster-ip-range": "10.0.0.0/24",
    // No pods run here that would look for the API server by its service.
    "endpoint-reconciler-type": "none",
    profiling: "false",
  };
}

export interface ApiServerInput {
  command: string;
  etcd: string;
  port: number;
  pki: Pki;
  /** The administrator's connection, to ask whether it is ready. */
  api: Api;
}

/** Starts kube-apiserver with RBAC, client certificates and signed service account tokens. */
export async function startApiServer(stage: Stage, { command, etcd, port, pki, api }: ApiServerInput): Promise<void> {
  const admission = await writeAdmissionConfig(stage.paths.pki, pki);
  const all = { ...flags(etcd, port, pki), "admission-control-config-file": admission };
  const args = Object.entries(all).map(([flag, value]) => `--${flag}=${value}`);
  const ready = async (): Promise<boolean> => (await api.request("/readyz")).status === 200;
  await launch(stage, { name: "kube-apiserver", command, args, layer: 1, ready });
}
