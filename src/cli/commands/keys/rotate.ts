import type { Command } from "commander";
import { ACTIVE_SECONDS, idOf, makeKey } from "../../../keys/key-entries.ts";
import { writeKeyFile } from "../../../keys/key-files.ts";
import { formatTime, nowSeconds } from "../../../model/time.ts";
import type { Cli } from "../../cli.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { withCluster } from "./open-cluster.ts";

interface RotateFlags extends ClusterFlags, OutputFlags {
  folder?: string;
}

async function rotate(cli: Cli, { folder, ...flags }: RotateFlags): Promise<void> {
  const now = nowSeconds();
  const key = makeKey(now);
  if (folder !== undefined) await writeKeyFile(folder, key.name, key.bytes);
  else
    await withCluster(cli, flags, async ({ keys, secret }) => {
      const { keys: present, resourceVersion } = await keys();
      await secret.replace([...present, key], resourceVersion);
    });
  const added = { key: idOf(key), signsFrom: formatTime(now + ACTIVE_SECONDS) };
  writeResult(
    cli,
    flags.output,
    added,
    () => `key ${added.key} signs from ${added.signsFrom}; earlier keys verify until they are removed\n`,
  );
}

/** `landfall keys rotate`: adds a key, which signs from then on. */
export function addRotate(keys: Command, cli: Cli): void {
  withClusterOptions(
    withOutput(keys.command("rotate")).description(
      "Add a new signing key. It signs as soon as every process has read it.",
    ),
  )
    .option("--folder <dir>", "the folder of webhooks with --signing-keys, instead of the Secret")
    .action((flags: RotateFlags) => rotate(cli, flags));
}
