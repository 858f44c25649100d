import { createClient } from "../../../cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../cluster/client/load-kubeconfig.ts";
import { LandfallError } from "../../../errors.ts";
import type { Cli } from "../../cli.ts";
import { single } from "../../options/decision-options.ts";
import type { OutputFlags } from "../../options/output-option.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { listText } from "../../output/list-text.ts";
import { isValue, writeResult } from "../../output/write-result.ts";
import { findObjects, readWanted, type Wanted } from "./find-objects.ts";
import { formatLive, LIVE_COLUMNS } from "./format-live.ts";
import { anyLive } from "./any-live.ts";
import { liveObject } from "./live-object.ts";
import { nowSeconds } from "../../../model/time.ts";

export interface ShowOptions extends OutputFlags {
  kubeconfig?: string;
  namespace?: string;
}

function missing({ kind, namespace, name }: Wanted): LandfallError {
  return new LandfallError("CLI_OBJECT_NONE", {
    kind: kind ?? "VmTemplate or KaasCluster",
    where: `${namespace ?? ""}/${name ?? ""}`,
  });
}

function print(cli: Cli, found: readonly Resource[], wanted: Wanted, output: string): void {
  const now = nowSeconds();
  const values = found.map(liveObject);
  writeResult(cli, output, wanted.name === null ? values : single(values), (isWide) =>
    wanted.name !== null && !isWide
      ? found.map((object) => formatLive(anyLive(object), now, cli.colors)).join("\n")
      : listText(LIVE_COLUMNS, found.map(anyLive), isWide, cli.colors),
  );
  if (found.length === 0 && !isValue(output))
    cli.note(`landfall: there is no such object${wanted.namespace === null ? "" : ` in ${wanted.namespace}`}\n`);
}

/** Prints the decision that objects of a cluster have. `words`: `[KIND] [NAMESPACE/NAME]`. Throws CLI_USAGE, CLI_OBJECT_NONE, REL_API…. */
export async function showObjects(cli: Cli, words: readonly string[], options: ShowOptions): Promise<void> {
  const wanted = readWanted(words, options.namespace ?? null);
  const client = createClient(await loadKubeconfig(options.kubeconfig, cli.env));
  try {
    const found = await findObjects(client, wanted);
    if (found.length === 0 && wanted.name !== null) throw missing(wanted);
    print(cli, found, wanted, options.output);
  } finally {
    await client.close();
  }
}
