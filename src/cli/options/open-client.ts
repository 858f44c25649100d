import { createClient, type KubeClient } from "../../cluster/client/create-client.ts";
import { loadKubeconfig } from "../../cluster/client/load-kubeconfig.ts";
import { createServerClock, type ServerClock } from "../../cluster/server-clock.ts";
import { nowSeconds } from "../../model/time.ts";
import type { Cli } from "../cli.ts";

export interface ClientWithClock {
  client: KubeClient;
  /** The API server's, once it has answered. */
  clock: Pick<ServerClock, "nowSeconds">;
  /** Ms since 1970 by that clock, and by this machine's before. */
  nowMs: () => number;
}

/** A client of the cluster that follows the API server's clock: this machine's may be wrong. */
export async function openClient(kubeconfig: string | undefined, { env }: Pick<Cli, "env">): Promise<ClientWithClock> {
  const clock = createServerClock(() => performance.now());
  const client = createClient(await loadKubeconfig(kubeconfig, env), undefined, (date) => clock.saw(date));
  return { client, clock, nowMs: () => (clock.nowSeconds() ?? nowSeconds()) * 1000 };
}
