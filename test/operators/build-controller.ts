import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../support/ml/python.ts";
import { defaultCacheFolder } from "../../src/toolchain/cache-paths.ts";
import { withLock } from "../../src/toolchain/with-lock.ts";

/** A controller that the Go proxy serves, as one version that is named exactly. */
export interface Controller {
  /** Folder with go.mod and go.sum, beside this file. */
  folder: string;
  module: string;
  version: string;
}

export interface BuiltController {
  binary: string;
  /** Folder with the CRDs of its module. */
  crds: string;
}

const pathOf = (folder: string): string => fileURLToPath(new URL(folder, import.meta.url));
const GO = { ...process.env, GOWORK: "off", GOFLAGS: "-mod=readonly", CGO_ENABLED: "0" };

/** Where Go keeps the module's files; null if they cannot be had. */
function moduleFolder({ folder, module }: Controller): string | null {
  const cwd = pathOf(folder);
  spawnSync("go", ["mod", "download", module], { cwd, env: GO });
  const { error, status, stdout } = spawnSync("go", ["list", "-m", "-f", "{{.Dir}}", module], { cwd, env: GO });
  if (error !== undefined) return null;
  const found = stdout.toString().trim();
  return status === 0 && found !== "" ? found : null;
}

/** Builds the controller, once for each version; null without Go, or where the proxy does not serve the module. */
export async function buildController(controller: Controller): Promise<BuiltController | null> {
  const sources = moduleFolder(controller);
  if (sources === null) return null;
  const cache = join(dirname(defaultCacheFolder(process.env)), "operators");
  const binary = join(cache, `${controller.folder}-${controller.version}`);
  mkdirSync(cache, { recursive: true });
  const build = async (): Promise<void> => {
    if (existsSync(binary)) return;
    const target = ["-trimpath", "-buildvcs=false", "-o", binary, `${controller.module}/cmd/controller`];
    await run("go", ["-C", pathOf(controller.folder), "build", ...target], GO);
  };
  await withLock(`${binary}.lock`, build, () => undefined);
  return { binary, crds: join(sources, "config", "crd") };
}
