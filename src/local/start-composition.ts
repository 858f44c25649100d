import { isHttpOk } from "./is-http-ok.ts";
import { launch } from "./launch.ts";
import type { Stage } from "./launch.ts";
import { processEntry } from "./process-entry.ts";

/** Starts the composition controller. */
export async function startComposition(
  stage: Stage,
  { helm, healthPort }: { helm: string; healthPort: number },
): Promise<void> {
  const args = [
    ...[
      processEntry("../composition/main.ts"),
      "--kubeconfig",
      stage.paths.kubeconfigOf("composition"),
      "--helm",
      helm,
    ],
    ...["--data-dir", stage.paths.data("composition"), "--health-port", String(healthPort)],
  ];
  const ready = async (): Promise<boolean> => isHttpOk(`http://127.0.0.1:${healthPort}/healthz`);
  await launch(stage, { name: "composition", command: process.execPath, args, layer: 2, ready });
}
