import type { Command } from "commander";
import { apiPath } from "../../cluster/api-path.ts";
import { createClient, type KubeClient } from "../../cluster/create-client.ts";
import { loadKubeconfig } from "../../cluster/load-kubeconfig.ts";
import { LandfallError } from "../../errors.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { readRetained, retainedMetadata, retainedName } from "../../model/retained.ts";
import { formatTime } from "../../model/time.ts";
import type { Cli } from "../cli.ts";

interface Options {
  kubeconfig?: string;
  systemNamespace: string;
  reason: string;
}

/** Whom the API server takes the caller for. */
async function readUser(client: KubeClient): Promise<string> {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const path = apiPath`/apis/authentication.k8s.io/v1/selfsubjectreviews`;
  const answer = await client.create<{ status?: { userInfo?: { username?: string } } }>(path, review);
  return answer.status?.userInfo?.username ?? "unknown";
}

async function acknowledge(cli: Cli, uid: string, { kubeconfig, systemNamespace, reason }: Options): Promise<void> {
  const client = createClient(await loadKubeconfig(kubeconfig, cli.env));
  try {
    const path = apiPath`/api/v1/namespaces/${systemNamespace}/secrets/${retainedName(uid)}`;
    const secret = await client.get<Resource>(path);
    const retained = secret === null ? null : readRetained(secret);
    if (retained === null)
      throw new LandfallError("CLI_USAGE", { detail: `${uid} is not recorded; see landfall audit` });
    const by = await readUser(client);
    const at = formatTime(Math.floor(Date.now() / 1000));
    const { annotations } = retainedMetadata({ ...retained, acknowledged: { by, reason, at } });
    await client.patch(path, "merge", { metadata: { annotations } });
    const { kind, namespace, name } = retained.workload;
    cli.write(`${kind} ${namespace}/${name} no longer counts: acknowledged by ${by}\n`);
  } finally {
    await client.close();
  }
}

/** `landfall acknowledge`: what a deleted object left running no longer counts. The record keeps who said so and why. */
export function addAcknowledge(program: Command, cli: Cli): void {
  program
    .command("acknowledge")
    .description(
      "Stop counting what a deleted object left running. Needs the right to patch Secrets of Landfall's namespace.",
    )
    .argument("<uid>", "the uid of the deleted object, as `landfall audit` shows it")
    .requiredOption("--reason <text>", "why it may run without an object; kept in the record")
    .option("--kubeconfig <file>", "the cluster (default: KUBECONFIG or the Pod's)")
    .option("--system-namespace <name>", "Landfall's own namespace", "landfall-system")
    .action((uid: string, options: Options) => acknowledge(cli, uid, options));
}
