import { Agent, request } from "undici";
import { launch } from "../processes/launch.ts";
import type { Stage } from "../processes/launch.ts";
import { projectPath } from "../processes/project-path.ts";
import type { Pki } from "../control-plane/write-pki.ts";

export interface WebhookInput {
  port: number;
  /** Bundle, by tag. */
  bundle: string;
  /** File that says whose bundles are used. */
  settings: string;
  crane: string;
  pki: Pki;
  /** File of forecast settings; climatology alone where it is left out. */
  forecasts?: string;
}

/**
 * Requests leave short-lived garbage. A nursery of 2 MiB is swept every fifteen requests instead of every six, and on the
 * thread that filled it: on a busy machine a sweep shared with a helper thread waits for that thread, for up to 30 ms. One
 * background thread of V8 instead of four keeps the process small. V8's --optimize-for-size would as well, but it compacts
 * the whole heap more than once a second, for 10 to 30 ms each. A sweep in the middle of a decision finds most of it alive,
 * from which V8 would learn to put all decisions where only such a compaction finds them. Baseline code at the first call: with
 * the processors busy, the optimising compiler needs tens of thousands of requests to come around. Nurseries are swept as well
 * while the whole heap is marked: V8 would let them grow meanwhile, by 7 to 17 MiB.
 */
const MEMORY_FLAGS = [
  "--min-semi-space-size=2",
  "--max-semi-space-size=2",
  "--no-parallel-scavenge",
  "--v8-pool-size=1",
  "--no-allocation-site-pretenuring",
  "--always-sparkplug",
  "--no-separate-gc-phases",
] as const;

/** Starts the webhook, which registers itself; resolves when its bundle answers. Returns its URL. */
export async function startWebhook(
  stage: Stage,
  { port, bundle, settings, crane, pki, forecasts }: WebhookInput,
): Promise<string> {
  const url = `https://127.0.0.1:${port}`;
  const args = [
    ...[
      ...MEMORY_FLAGS,
      projectPath("webhook/main.ts"),
      "--port",
      String(port),
      "--kubeconfig",
      stage.paths.kubeconfigOf("webhook"),
    ],
    ...["--bundle", bundle, "--bundle-settings", settings, "--crane", crane, "--plain-http", "--register"],
    ...(forecasts === undefined ? [] : ["--forecast-settings", forecasts]),
    ...["--client-ca", pki.files.webhookClientAuthority, "--data-dir", stage.paths.data("webhook")],
  ];
  // Its CA is its own and new; only its state is asked for.
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
