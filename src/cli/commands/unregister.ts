import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { apiPath, below, versionPath } from "../../cluster/api-path.ts";
import { createClient, type KubeClient } from "../../cluster/client/create-client.ts";
import { listObjects } from "../../cluster/list-objects.ts";
import { withServedVersion } from "../../cluster/served-version.ts";
import { loadKubeconfig } from "../../cluster/client/load-kubeconfig.ts";
import { LandfallError } from "../../errors.ts";
import { PLURAL, WEBHOOK } from "../../model/names.ts";
import { whole } from "../../flags/option-values.ts";
import type { Cli } from "../cli.ts";
import { type OutputFlags, withOutput } from "../options/output-option.ts";
import { writeResult } from "../output/write-result.ts";
import { type ClusterFlags, withClusterOptions } from "../options/cluster-options.ts";
import { WEBHOOK_CONFIGURATIONS } from "../webhook-configurations.ts";

interface Options extends ClusterFlags, OutputFlags {
  releaseConfigmap?: string;
  /** Seconds. */
  quiet: number;
}

/** How often a webhook may put them back before this gives up. */
const ATTEMPTS = 5;
const LOOK_MS = 500;

async function isPresent(client: KubeClient): Promise<boolean> {
  const found = await Promise.all(WEBHOOK_CONFIGURATIONS.map((path) => client.get(path)));
  return found.some((one) => one !== null);
}

/** Removes the configurations, and waits whether a webhook puts them back, which looks every five seconds. */
async function staysAway(client: KubeClient, quietSeconds: number): Promise<boolean> {
  await Promise.all(WEBHOOK_CONFIGURATIONS.map((path) => client.remove(path)));
  const until = performance.now() + quietSeconds * 1000;
  while (performance.now() < until) {
    await sleep(LOOK_MS);
    if (await isPresent(client)) return false;
  }
  return true;
}

async function countObjects(client: KubeClient, plural: string): Promise<number> {
  const { items } = await withServedVersion((served) =>
    listObjects(client, below(versionPath(served), plural), { metadataOnly: true }),
  );
  return items.length;
}

interface Remaining {
  plural: string;
  /** Null if they cannot be listed. */
  count: number | null;
}

/** Objects keep their finalizer, so they cannot be deleted before a controller is back. */
function remainingText(remaining: readonly Remaining[]): string {
  const lines = remaining.map(({ plural, count }) =>
    count === null
      ? `${plural}: not served, or they cannot be listed\n`
      : `${plural}: ${String(count)} stay, with what they run\n`,
  );
  const advice =
    "They have a finalizer and are deleted only while Landfall's or Krateo's controller runs. To remove them, install the chart again, " +
    "delete them, then uninstall it.\n";
  return lines.join("") + (remaining.some(({ count }) => count !== null && count > 0) ? advice : "");
}

const remainingOf = (client: KubeClient): Promise<Remaining[]> =>
  Promise.all(
    Object.values(PLURAL).map(async (plural) => ({
      plural,
      count: await countObjects(client, plural).catch(() => null),
    })),
  );

/** Removes the ConfigMap of the release, and says so if there is none: its name or namespace can be misspelt. Null without the flag. */
async function removeRelease(
  cli: Cli,
  client: KubeClient,
  { systemNamespace, releaseConfigmap }: Options,
): Promise<{ name: string; namespace: string; found: boolean } | null> {
  if (releaseConfigmap === undefined) return null;
  const found = await client.remove(apiPath`/api/v1/namespaces/${systemNamespace}/configmaps/${releaseConfigmap}`);
  if (!found)
    cli.note(
      `there is no ConfigMap ${releaseConfigmap} in the namespace ${systemNamespace}. If it was removed before, all is well. Otherwise ` +
        "compare --release-configmap and --system-namespace with the installation: webhooks that start later register again\n",
    );
  return { name: releaseConfigmap, namespace: systemNamespace, found };
}

async function unregister(cli: Cli, options: Options): Promise<void> {
  const { kubeconfig, quiet } = options;
  const client = createClient(await loadKubeconfig(kubeconfig, cli.env));
  try {
    const release = await removeRelease(cli, client, options);
    let away = false;
    for (let attempt = 0; attempt < ATTEMPTS && !away; attempt += 1) away = await staysAway(client, quiet);
    if (!away) throw new LandfallError("CLI_UNREGISTER", { names: `${WEBHOOK.placement} and ${WEBHOOK.guard}` });
    const remaining = await remainingOf(client);
    const removed = [WEBHOOK.placement, WEBHOOK.guard];
    writeResult(
      cli,
      options.output,
      { removed, release, remaining },
      () =>
        `${removed.join(" and ")} are removed: VmTemplates and KaasClusters are no longer decided\n` +
        remainingText(remaining),
    );
  } finally {
    await client.close();
  }
}

/** `landfall unregister`: removes the webhook configurations permanently, before an uninstallation. */
export function addUnregister(program: Command, cli: Cli): void {
  const command = withOutput(program.command("unregister"))
    .description(
      "Remove Landfall's webhook configurations, and check that nothing writes them again. The chart runs it before an uninstallation.",
    )
    .option(
      "--release-configmap <name>",
      "ConfigMap of Landfall's namespace without which the webhooks do not register; removed first",
    )
    .option("--quiet <seconds>", "how long nothing may write them again", whole(1, 600), 12);
  withClusterOptions(command).action((options: Options) => unregister(cli, options));
}
