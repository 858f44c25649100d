import type { Command } from "commander";
import { LandfallError } from "../../../errors.ts";
import { idOf, ringAt } from "../../../keys/key-entries.ts";
import type { Cli } from "../../cli.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { keyUsers, NO_KEY } from "./key-users.ts";
import { withCluster } from "./open-cluster.ts";
import { nowSeconds } from "../../../model/time.ts";

interface RemoveFlags extends ClusterFlags, OutputFlags {
  force?: boolean;
}

async function remove(cli: Cli, key: string, { force = false, ...flags }: RemoveFlags): Promise<void> {
  await withCluster(cli, flags, async (cluster) => {
    const { keys, resourceVersion } = await cluster.keys();
    const found = keys.find((one) => idOf(one) === key);
    if (found === undefined) throw new LandfallError("CLI_KEY", { key, detail: "is not in the Secret" });
    if (ringAt(keys, nowSeconds())[0].id === key)
      throw new LandfallError("CLI_KEY", { key, detail: "is the one that signs" });
    const users = await keyUsers(cluster);
    // Only an earlier version's key signed without its id.
    const used = (users.get(key) ?? 0) + (users.get(NO_KEY) ?? 0);
    if (used > 0 && !force)
      throw new LandfallError("CLI_KEY", { key, detail: `may still be needed by ${String(used)} signatures` });
    await cluster.secret.replace(
      keys.filter((one) => one !== found),
      resourceVersion,
    );
    writeResult(cli, flags.output, { key, removed: true }, () => `key ${key} was removed\n`);
  });
}

/** `landfall keys remove`: removes a key that nothing needs. */
export function addRemove(keys: Command, cli: Cli): void {
  withClusterOptions(withOutput(keys.command("remove")).description("Remove a key: what it signed is no longer valid."))
    .argument("<id>", "as `landfall keys list` shows it")
    .option("--force", "also if signatures of it are left")
    .action((key: string, flags: RemoveFlags) => remove(cli, key, flags));
}
