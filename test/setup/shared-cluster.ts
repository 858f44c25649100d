// Global setup of the project `e2e-shared`: one control plane with the webhook, the composition controller and the simulated
// providers, for all files of test/e2e/shared. A file works in namespaces of its own, or with names of its own. A file that
// compares decisions cannot be among them: what others install counts as load, which settles near-ties.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { projectPath } from "../../src/local/processes/project-path.ts";
import { startLandfall } from "../../src/local/landfall/start-landfall.ts";

export interface SharedCluster {
  /** The folder of the control plane: see localPaths. */
  dir: string;
  kubeconfig: string;
  /** `host:port` of the registry. */
  registry: string;
  /** File of the authority that signs the client certificate of the API server's calls of webhooks. */
  webhookClientAuthority: string;
  /** The policy bundle that the webhook decides by. */
  bundle: string;
}

declare module "vitest" {
  interface ProvidedContext {
    cluster: SharedCluster;
  }
}

interface Kubernetes {
  versions: Record<string, Record<string, { end: string | null }>>;
}

/** A copy of the catalog in which no Kubernetes version ends, so that upgrades can be tested on any day. */
async function lastingCatalog(folder: string): Promise<string> {
  await cp(projectPath("catalog"), folder, { recursive: true });
  const file = join(folder, "kubernetes.json");
  const data = JSON.parse(await readFile(file, "utf8")) as Kubernetes;
  for (const version of Object.values(data.versions).flatMap(Object.values<{ end: string | null }>)) version.end = null;
  await writeFile(file, JSON.stringify(data));
  return folder;
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const base = await mkdtemp(join(tmpdir(), "landfall-shared-"));
  const dir = join(base, "plane");
  const catalog = await lastingCatalog(join(base, "catalog"));
  const components = ["webhook", "composition", "simulators"] as const;
  const landfall = await startLandfall({ dir, env: process.env, components, speed: 4, catalog });
  const { kubeconfig, registry, pki } = landfall;
  const { webhookClientAuthority } = pki.files;
  provide("cluster", { dir, kubeconfig, registry, webhookClientAuthority, bundle: join(dir, "bundle.tar.gz") });
  return async () => {
    await landfall.stop();
    await rm(base, { recursive: true, force: true, maxRetries: 5 });
  };
}
