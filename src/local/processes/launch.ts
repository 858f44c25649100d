import type { LocalPaths } from "./local-paths.ts";
import type { ManagedProcess } from "./spawn-process.ts";
import type { Layer, Supervisor } from "./supervise.ts";
import { waitUntil } from "./wait-until.ts";

/** The parts that all processes of local mode share. */
export interface Stage {
  paths: LocalPaths;
  supervisor: Supervisor;
  env: NodeJS.ProcessEnv;
  /** Shows a line of progress. */
  report(text: string): void;
}

export interface Launch {
  name: string;
  command: string;
  args: string[];
  /** The environment of all processes if it is omitted. */
  env?: NodeJS.ProcessEnv;
  /** This process's folder if it is omitted. */
  cwd?: string;
  layer: Layer;
  /** Whether it is ready. */
  ready: () => Promise<boolean>;
}

/** Longest time for one process to become ready; a loaded machine takes several times the usual 3 s. */
const READY_SECONDS = 60;

/** Starts a process and waits until it is ready. Errors: LOCAL_PROCESS_DIED, LOCAL_NOT_READY. */
export async function launch(stage: Stage, { layer, ready, ...program }: Launch): Promise<ManagedProcess> {
  const { name } = program;
  const begun = Date.now();
  const logFile = stage.paths.log(name);
  const child = stage.supervisor.start({ env: stage.env, ...program, logFile }, layer);
  await Promise.race([waitUntil({ what: name, seconds: READY_SECONDS, log: logFile }, ready), stage.supervisor.failed]);
  stage.report(`${name} is ready (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  return child;
}
