import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../../../src/local/processes/free-ports.ts";
import { isHttpOk } from "../../../src/local/processes/is-http-ok.ts";
import { type ManagedProcess, spawnProcess } from "../../../src/local/processes/spawn-process.ts";
import { waitUntil } from "../../../src/local/processes/wait-until.ts";
import { ML, run } from "./python.ts";

export interface Training {
  /** The catalog's hourly series. */
  series: string;
  zones: readonly string[];
  /** Hours of the year that the models are trained on. */
  until: number;
}

/** A real MLflow with one tracked run, and a real MLServer with the models of that run. */
export interface ServedModels {
  mlflow: string;
  mlserver: string;
  run: string;
  stop(): Promise<void>;
}

async function up(process: ManagedProcess, url: string): Promise<void> {
  const ended = process.exited.then((how) => {
    throw new Error(`${process.name} ended (${how}); see ${process.logFile}`);
  });
  const ready = waitUntil({ what: process.name, seconds: 90, log: process.logFile }, () => isHttpOk(url));
  await Promise.race([ready, ended]);
}

/** Starts MLflow, trains, exports, starts MLServer; `bin` has the programs of preparePython. */
export async function serveModels(bin: string, { series, zones, until }: Training): Promise<ServedModels> {
  const folder = mkdtempSync(join(tmpdir(), "landfall-ml-"));
  const [tracking = 0, ...ports] = await freePorts(4);
  const [http = 0] = ports;
  const mlflow = `http://127.0.0.1:${String(tracking)}`;
  const mlserver = `http://127.0.0.1:${String(http)}`;
  const env = {
    ...process.env,
    PYTHONPATH: ML,
    PYTHONDONTWRITEBYTECODE: "1",
    MLFLOW_DISABLE_TELEMETRY: "true",
    MLFLOW_SERVER_ENABLE_JOB_EXECUTION: "false",
  };
  const started: ManagedProcess[] = [];
  const start = (name: string, args: string[]): ManagedProcess => {
    const logFile = join(folder, `${name}.log`);
    const child = spawnProcess({ name, command: join(bin, name), args, env, logFile });
    started.unshift(child);
    return child;
  };
  const stop = async (): Promise<void> => {
    for (const child of started) await child.stop();
  };
  const python = (script: string, ...args: string[]): Promise<string> =>
    run(join(bin, "python"), [join(ML, script), "--tracking", mlflow, ...args], env);
  try {
    const store = [
      "--backend-store-uri",
      `sqlite:///${folder}/mlflow.db`,
      "--artifacts-destination",
      `${folder}/artifacts`,
    ];
    await up(
      start("mlflow", ["server", "--host", "127.0.0.1", "--port", String(tracking), "--workers", "1", ...store]),
      `${mlflow}/health`,
    );
    const id = await python("train.py", "--series", series, "--zones", zones.join(), "--until", String(until));
    const repository = join(folder, "repository");
    await python("export.py", "--run", id, "--into", repository, "--ports", ports.join());
    await up(start("mlserver", ["start", repository]), `${mlserver}/v2/health/ready`);
    return { mlflow, mlserver, run: id, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}
