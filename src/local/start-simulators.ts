import { launch } from "./launch.ts";
import type { Stage } from "./launch.ts";
import { processEntry } from "./process-entry.ts";

/** Starts the simulators of the providers' own controllers. `speed` above 1 makes them faster than real ones. */
export async function startSimulators(stage: Stage, speed: number): Promise<void> {
  const entry = processEntry("simulators/main.ts");
  const args = [entry, "--kubeconfig", stage.paths.kubeconfigOf("simulators"), "--speed", String(speed)];
  // Objects wait for them as they would for a provider: nothing has to be ready first.
  const ready = async (): Promise<boolean> => Promise.resolve(true);
  await launch(stage, { name: "simulators", command: process.execPath, args, layer: 2, ready });
}
