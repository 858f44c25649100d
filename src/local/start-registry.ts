import { mkdir } from "node:fs/promises";
import { isHttpOk } from "./is-http-ok.ts";
import { launch } from "./launch.ts";
import type { Stage } from "./launch.ts";

/** Starts an OCI registry (plain HTTP, loopback) and returns its `host:port`. */
export async function startRegistry(stage: Stage, command: string, port: number): Promise<string> {
  const host = `127.0.0.1:${port}`;
  await mkdir(stage.paths.registry, { recursive: true });
  const args = ["registry", "serve", "--address", host, "--disk", stage.paths.registry];
  await launch(stage, { name: "registry", command, args, layer: 1, ready: async () => isHttpOk(`http://${host}/v2/`) });
  return host;
}
