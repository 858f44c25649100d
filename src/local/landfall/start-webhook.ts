import { readFile } from "node:fs/promises";
import { Agent, request } from "undici";
import { launch } from "../processes/launch.ts";
import type { Stage } from "../processes/launch.ts";
import { projectPath } from "../processes/project-path.ts";
import { type Pki, WEBHOOK_CLIENT } from "../control-plane/write-pki.ts";

export interface WebhookInput {
  port: number;
  /** Bundle, by tag. */
  bundle: string;
  /** File of the bundle settings: trusted keys and poll interval. */
  settings: string;
  crane: string;
  pki: Pki;
  /** File of forecast settings; climatology alone if it is omitted. */
  forecasts?: string;
}

/**
 * Flags of V8 that keep the webhook's latency and memory low, as the chart gives them:
 * - A young generation of 2 MiB is collected every 15 requests instead of every 6.
 * - One thread collects it: on a busy machine, a parallel collection waits up to 30 ms for its helper thread.
 * - One background thread instead of four keeps the process small. --optimize-for-size would too, but it compacts the whole
 *   heap more than once a second, for 10 to 30 ms each time.
 * - Without pretenuring, because a collection during a decision finds most of it alive, and V8 would then allocate all
 *   decisions in the old generation.
 * - Baseline code at the first call: on a busy machine, the optimizing compiler starts after tens of thousands of requests.
 * - The young generation is also collected while the heap is marked; otherwise it grows by 7 to 17 MiB meanwhile.
 */
async function nodeOptions(): Promise<string[]> {
  const text = await readFile(projectPath("charts/landfall/files/webhook-node-options"), "utf8");
  return text.split("\n").filter((line) => line !== "");
}

/** Starts the webhook, which registers itself. Resolves to its URL when its bundle is loaded. */
export async function startWebhook(
  stage: Stage,
  { port, bundle, settings, crane, pki, forecasts }: WebhookInput,
): Promise<string> {
  const url = `https://127.0.0.1:${port}`;
  const args = [
    ...[
      ...(await nodeOptions()),
      projectPath("webhook/main.ts"),
      "--port",
      String(port),
      "--kubeconfig",
      stage.paths.kubeconfigOf("webhook"),
    ],
    ...["--bundle", bundle, "--bundle-settings", settings, "--crane", crane, "--plain-http", "--register", "--ledger"],
    ...(forecasts === undefined ? [] : ["--forecast-settings", forecasts]),
    ...["--client-ca", pki.files.webhookClientAuthority, "--client-name", WEBHOOK_CLIENT],
    ...["--data-dir", stage.paths.data("webhook")],
  ];
  // Its CA is new and its own. Only its readiness is read.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const ready = async (): Promise<boolean> => {
    const answer = await request(`${url}/readyz`, { dispatcher });
    await answer.body.dump();
    return answer.statusCode === 200;
  };
  await launch(stage, { name: "webhook", command: process.execPath, args, layer: 2, ready });
  await dispatcher.close();
  return url;
}
