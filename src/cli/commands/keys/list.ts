import type { Command } from "commander";
import { idOf, madeAt, ringAt } from "../../../keys/key-entries.ts";
import { formatTime, nowSeconds } from "../../../model/time.ts";
import type { Cli } from "../../cli.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { keyUsers, NO_KEY } from "./key-users.ts";
import { withCluster } from "./open-cluster.ts";

interface ListedKey {
  id: string;
  /** RFC 3339; null if that is not known. */
  made: string | null;
  /** How many signatures name it. */
  signatures: number;
  present: boolean;
  /** Whether new decisions are signed with it. */
  signs: boolean;
}

function sinceOf({ id, made, present }: ListedKey): string {
  if (present) return made ?? "of an earlier version";
  return id === NO_KEY ? "by versions 0.1.0 and 0.2.0" : "by a key that is not there";
}

const text = (key: ListedKey): string =>
  `${key.id}  ${sinceOf(key)}  ${String(key.signatures)} signatures${key.signs ? "  signs" : ""}\n`;

async function list(cli: Cli, flags: ClusterFlags & OutputFlags): Promise<void> {
  await withCluster(cli, flags, async (cluster) => {
    const { keys } = await cluster.keys();
    const users = await keyUsers(cluster);
    const signing = ringAt(keys, nowSeconds())[0].id;
    const known = new Set(keys.map(idOf));
    const present = keys.map((key): ListedKey => {
      const [id, made] = [idOf(key), madeAt(key.name) ?? 0];
      const madeTime = made === 0 ? null : formatTime(made);
      return { id, made: madeTime, signatures: users.get(id) ?? 0, present: true, signs: id === signing };
    });
    const absent = [...users]
      .filter(([id]) => !known.has(id))
      .map(([id, signatures]): ListedKey => ({ id, made: null, signatures, present: false, signs: false }));
    const listed = [...present, ...absent];
    writeResult(cli, flags.output, listed, () => listed.map(text).join(""));
  });
}

/** `landfall keys list`: the keys, and how much each has signed. */
export function addList(keys: Command, cli: Cli): void {
  withClusterOptions(
    withOutput(keys.command("list")).description("List the signing keys, newest first, and what they signed."),
  ).action((flags: ClusterFlags & OutputFlags) => list(cli, flags));
}
