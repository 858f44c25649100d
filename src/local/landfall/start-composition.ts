import { isHttpOk } from "../processes/is-http-ok.ts";
import { launch } from "../processes/launch.ts";
import type { Stage } from "../processes/launch.ts";
import { projectPath } from "../processes/project-path.ts";

/** Often enough for a user who watches. */
const SCAN_SECONDS = 20;
/** Runs are deleted soon after their end: no one wants to watch for a quarter of an hour. */
const END_GRACE_SECONDS = 5;

export interface CompositionInput {
  helm: string;
  healthPort: number;
  /** How many seconds of a run that may pause take one second. */
  timeLapse: number;
  /** No webhook runs. */
  allowUndecided: boolean;
  /** The bundle of the background scan; null for no scan. */
  scan: { tag: string; settings: string; crane: string } | null;
}

/** Starts the composition controller. */
export async function startComposition(
  stage: Stage,
  { helm, healthPort, timeLapse, allowUndecided, scan }: CompositionInput,
): Promise<void> {
  const args = [
    ...[
      projectPath("src/composition/main.ts"),
      "--kubeconfig",
      stage.paths.kubeconfigOf("composition"),
      "--helm",
      helm,
    ],
    ...["--data-dir", stage.paths.data("composition"), "--health-port", String(healthPort)],
    ...(allowUndecided ? ["--allow-undecided"] : []),
    ...(scan === null
      ? []
      : ["--bundle", scan.tag, "--bundle-settings", scan.settings, "--crane", scan.crane, "--plain-http"]),
    ...["--audit-every", String(SCAN_SECONDS), "--end-grace", String(END_GRACE_SECONDS)],
    ...["--time-lapse", String(timeLapse)],
  ];
  const ready = async (): Promise<boolean> => isHttpOk(`http://127.0.0.1:${healthPort}/healthz`);
  await launch(stage, { name: "composition", command: process.execPath, args, layer: 2, ready });
}
