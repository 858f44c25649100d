import type { Command } from "commander";
import { idOf, madeAt, ringAt } from "../../../keys/key-entries.ts";
import { formatTime } from "../../../model/time.ts";
import type { Cli } from "../../cli.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { keyUsers, NO_KEY } from "./key-users.ts";
import { withCluster } from "./open-cluster.ts";

async function list(cli: Cli, flags: ClusterFlags): Promise<void> {
  await withCluster(cli, flags, async (cluster) => {
    const { keys } = await cluster.keys();
    const users = await keyUsers(cluster);
    const signing = ringAt(keys, Date.now() / 1000)[0].id;
    const known = new Set(keys.map(idOf));
    for (const key of keys) {
      const [id, made] = [idOf(key), madeAt(key.name) ?? 0];
      const since = made === 0 ? "of an earlier version" : formatTime(made);
      cli.write(`${id}  ${since}  ${String(users.get(id) ?? 0)} signatures${id === signing ? "  signs" : ""}\n`);
    }
    for (const [id, count] of users) {
      if (known.has(id)) continue;
      const what = id === NO_KEY ? "by versions 0.1.0 and 0.2.0" : "by a key that is not there";
      cli.write(`${id}  ${what}  ${String(count)} signatures\n`);
    }
  });
}

/** `landfall keys list`: the keys, and how much each has signed. */
export function addList(keys: Command, cli: Cli): void {
  withClusterOptions(
    keys.command("list").description("List the signing keys, newest first, and what they signed."),
  ).action((flags: ClusterFlags) => list(cli, flags));
}
