import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { apiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { isHttpOk } from "../processes/is-http-ok.ts";
import { launch } from "../processes/launch.ts";
import type { Stage } from "../processes/launch.ts";
import { writeWebhookKubeconfig } from "./write-kubeconfig.ts";
import type { Pki } from "./write-pki.ts";

/** Configures the client certificate that the API server shows to webhooks, which accept no other client. */
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
  /** The administrator's client, which asks whether the API server is ready. */
  client: KubeClient;
  /** Besides the usual ones, without dashes. */
  flags: Readonly<Record<string, string>>;
}

/** Starts kube-apiserver with RBAC, client certificates and signed service account tokens. */
export async function startApiServer(
  stage: Stage,
  { command, etcd, port, pki, client, flags: more }: ApiServerInput,
): Promise<void> {
  const admission = await writeAdmissionConfig(stage.paths.pki, pki);
  const all = { ...flags(etcd, port, pki), "admission-control-config-file": admission, ...more };
  const args = Object.entries(all).map(([flag, value]) => `--${flag}=${value}`);
  const ready = async (): Promise<boolean> => (await client.get<string>(apiPath`/readyz`)) === "ok";
  await launch(stage, { name: "kube-apiserver", command, args, layer: 1, ready });
}

/** Starts etcd and returns the URL for its clients. It does not force data to disk: a crash of the machine may lose data. */
export async function startEtcd(
  stage: Stage,
  command: string,
  ports: { client: number; peer: number },
): Promise<string> {
  const client = `http://127.0.0.1:${ports.client}`;
  const peer = `http://127.0.0.1:${ports.peer}`;
  const args = [
    ...["--name", "landfall", "--data-dir", stage.paths.etcd, "--unsafe-no-fsync"],
    ...["--listen-client-urls", client, "--advertise-client-urls", client],
    ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", `landfall=${peer}`],
    ...["--log-level", "warn"],
  ];
  await launch(stage, { name: "etcd", command, args, layer: 0, ready: async () => isHttpOk(`${client}/readyz`) });
  return client;
}
