import { isHttpOk } from "./is-http-ok.ts";
import { launch } from "./launch.ts";
import type { Stage } from "./launch.ts";

/** Starts etcd and returns the URL for its clients. Data is not forced to disk: a crash of the machine may lose it. */
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
