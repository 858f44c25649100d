import type { Command } from "commander";
import { below } from "../../cluster/api-path.ts";
import { createClient } from "../../cluster/client/create-client.ts";
import { loadKubeconfig } from "../../cluster/client/load-kubeconfig.ts";
import { readUser } from "../../cluster/client/read-user.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { LandfallError } from "../../errors.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { readRetained, retainedMetadata, retainedName } from "../../model/runs/retained.ts";
import { formatTime, nowSeconds } from "../../model/time.ts";
import type { Cli } from "../cli.ts";
import { type OutputFlags, withOutput } from "../options/output-option.ts";
import { writeResult } from "../output/write-result.ts";
import { type ClusterFlags, withClusterOptions } from "../options/cluster-options.ts";

interface Options extends ClusterFlags, OutputFlags {
  reason: string;
}

async function acknowledge(cli: Cli, uid: string, options: Options): Promise<void> {
  const { kubeconfig, systemNamespace, reason, output } = options;
  const client = createClient(await loadKubeconfig(kubeconfig, cli.env));
  try {
    const path = below(secretsPath(systemNamespace), retainedName(uid));
    const secret = await client.get<Resource>(path);
    const retained = secret === null ? null : readRetained(secret);
    if (retained === null)
      throw new LandfallError("CLI_USAGE", { detail: `${uid} is not recorded; see landfall audit` });
    const by = await readUser(client);
    const at = formatTime(nowSeconds());
    const { annotations } = retainedMetadata({ ...retained, acknowledged: { by, reason, at } });
    await client.patch(path, "merge", { metadata: { annotations } });
    const { kind, namespace, name } = retained.workload;
    const text = `${kind} ${namespace}/${name} no longer counts: acknowledged by ${by}\n`;
    writeResult(cli, output, { uid, kind, namespace, name, acknowledged: { by, reason, at } }, () => text);
  } finally {
    await client.close();
  }
}

/** `landfall acknowledge`: what a deleted object left running no longer counts. The record keeps who said so and why. */
export function addAcknowledge(program: Command, cli: Cli): void {
  const command = withOutput(program.command("acknowledge"))
    .description(
      "Stop counting what a deleted object left running. Needs the right to patch Secrets of Landfall's namespace.",
    )
    .argument("<uid>", "the uid of the deleted object, as `landfall audit` shows it")
    .requiredOption("--reason <text>", "why it may run without an object; kept in the record");
  withClusterOptions(command).action((uid: string, options: Options) => acknowledge(cli, uid, options));
}
