import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyManifests } from "../../src/local/control-plane/apply-manifests.ts";
import { type ControlPlane, startControlPlane } from "../../src/local/control-plane/start-control-plane.ts";
import { freePorts } from "../../src/local/processes/free-ports.ts";
import { isHttpOk } from "../../src/local/processes/is-http-ok.ts";
import { spawnProcess } from "../../src/local/processes/spawn-process.ts";
import { waitUntil } from "../../src/local/processes/wait-until.ts";
import { findPython, preparePython } from "../support/ml/python.ts";
import { type BuiltController, buildController, type Controller } from "./build-controller.ts";

export interface AwsWorld {
  plane: ControlPlane;
  /** Address of the AWS double. */
  aws: string;
  stop(): Promise<void>;
}

const REQUIREMENTS = fileURLToPath(new URL("requirements.txt", import.meta.url));
const REGION = "eu-west-1";
const ACCOUNT = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test", AWS_REGION: REGION };

interface Stage {
  folder: string;
  closers: (() => Promise<void>)[];
}

/** moto, the AWS double, as a process of its own. */
async function startMoto({ folder, closers }: Stage): Promise<string> {
  const python = findPython();
  if (python === null) throw new TypeError("there is no Python 3.11 or 3.12 with venv");
  const bin = await preparePython(python, REQUIREMENTS);
  const [port = 0] = await freePorts(1);
  const logFile = join(folder, "moto.log");
  const args = ["-H", "127.0.0.1", "-p", String(port)];
  // Without them, moto has none of the policies that AWS itself manages, which the chart's roles refer to.
  const env = { ...process.env, MOTO_IAM_LOAD_MANAGED_POLICIES: "true" };
  const child = spawnProcess({ name: "moto", command: join(bin, "moto_server"), args, env, logFile });
  closers.push(() => child.stop());
  const url = `http://127.0.0.1:${String(port)}`;
  await waitUntil({ what: "moto", seconds: 90, log: logFile }, () => isHttpOk(`${url}/moto-api/data.json`));
  return url;
}

async function startOperator(
  { folder, closers }: Stage,
  plane: ControlPlane,
  { binary, crds }: BuiltController,
  aws: string,
): Promise<void> {
  const folders = [join(crds, "bases"), join(crds, "common", "bases")];
  await applyManifests(
    plane.client,
    folders.filter((one) => readdirSync(one).length > 0),
  );
  const [metrics = 0, health = 0] = await freePorts(2);
  const addresses = ["--metrics-addr", `127.0.0.1:${String(metrics)}`, "--healthz-addr", `127.0.0.1:${String(health)}`];
  const endpoints = ["--aws-endpoint-url", aws, "--aws-identity-endpoint-url", aws, "--allow-unsafe-aws-endpoint-urls"];
  const logFile = join(folder, "controller.log");
  const child = spawnProcess({
    ...{ name: "controller", command: binary, logFile },
    args: ["--aws-region", REGION, ...endpoints, ...addresses, "--enable-carm=false"],
    // Nothing of the machine's own account and certificates of AWS.
    env: { PATH: process.env["PATH"], ...ACCOUNT, KUBECONFIG: plane.kubeconfig, K8S_NAMESPACE: "landfall-system" },
  });
  closers.push(() => child.stop());
  const url = `http://127.0.0.1:${String(health)}/healthz`;
  await waitUntil({ what: "the controller", seconds: 60, log: logFile }, () => isHttpOk(url));
}

/** A control plane, an AWS double and a controller of ACK; null where the controller cannot be built. */
export async function startAws(controller: Controller): Promise<AwsWorld | null> {
  const built = await buildController(controller);
  if (built === null) return null;
  const stage: Stage = { folder: await mkdtemp(join(tmpdir(), "landfall-operators-")), closers: [] };
  const stop = async (): Promise<void> => {
    for (const close of stage.closers.reverse()) await close();
    await rm(stage.folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const plane = await startControlPlane({ dir: join(stage.folder, "plane"), env: process.env });
    stage.closers.push(() => plane.stop());
    const aws = await startMoto(stage);
    await startOperator(stage, plane, built, aws);
    return { plane, aws, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}
