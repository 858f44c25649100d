import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type ApiPath, apiPath, below, versionPath } from "../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../src/cluster/client/load-kubeconfig.ts";
import type { Resource } from "../../src/composition/types.ts";
import { LandfallError } from "../../src/errors.ts";
import { untilNull } from "../../src/local/processes/wait-until.ts";
import { conditionsOf, type KubernetesObject } from "../../src/model/kubernetes.ts";
import { ANNOTATION, COMPOSITION_GROUP } from "../../src/model/names.ts";

const START_MS = 300_000;

/** A version of Landfall in local mode. */
export interface Version {
  name: string;
  dir: string;
  client: KubeClient;
  /** `composition.krateo.io/v0-1-0` */
  apiVersion: string;
  stop: () => Promise<void>;
}

/** Figures of one measurement, by their names. */
export type Figures = Record<string, number>;

/** Asks every `everyMs` until it is done. Throws LOCAL_BENCH after `limitMs`. */
export async function until(
  done: () => Promise<boolean>,
  everyMs: number,
  limitMs: number,
  what: string,
): Promise<void> {
  const seconds = limitMs / 1000;
  const missing = await untilNull(seconds, async () => ((await done().catch(() => false)) ? null : what), everyMs);
  if (missing !== null)
    throw new LandfallError("LOCAL_BENCH", { detail: `${what} did not come within ${String(seconds)} s` });
}

/** A machine on Google Cloud, whose simulator is the fastest. */
export const machine = (apiVersion: string, namespace: string, name: string): KubernetesObject => ({
  ...{ apiVersion, kind: "VmTemplate", metadata: { name, namespace }, spec: { cpu: 2, memory: 4, provider: "gcp" } },
});

export const pathOf = (apiVersion: string, namespace: string): ApiPath =>
  below(versionPath(apiVersion), "namespaces", namespace, "vmtemplates");

export async function listOf(client: KubeClient, path: ApiPath): Promise<Resource[]> {
  return (await client.get<{ items: Resource[] }>(path))?.items ?? [];
}

const isReady = (object: Resource): boolean =>
  conditionsOf(object).some(({ type, status }) => type === "Ready" && status === "True");

export const allReady = async (client: KubeClient, path: ApiPath, count: number): Promise<boolean> => {
  const items = await listOf(client, path);
  return items.filter(isReady).length >= count;
};

/** Starts the version of this checkout below the folder `base`, and waits until its webhook decides. */
export async function startVersion(name: string, checkout: string, base: string): Promise<Version> {
  const [dir, examples] = [join(base, name), join(base, `${name}-examples`)];
  await mkdir(examples);
  await copyFile(join(checkout, "examples/00-namespaces.yaml"), join(examples, "00-namespaces.yaml"));
  await copyFile(join(checkout, "examples/01-anywhere.yaml"), join(examples, "01-anywhere.yaml"));
  const program = join(checkout, "node_modules/.bin/node");
  const script = join(checkout, "src/local/main.ts");
  const child = spawn(program, [script, "--dir", dir, "--examples", examples], {
    ...{ cwd: checkout, stdio: ["ignore", "ignore", "inherit"] },
  });
  const stop = async (): Promise<void> => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  const connect = async (): Promise<KubeClient> => createClient(await loadKubeconfig(join(dir, "kubeconfig"), {}));
  const found: { client: KubeClient | null; apiVersion: string } = { client: null, apiVersion: "" };
  const decides = async (): Promise<boolean> => {
    const client = (found.client ??= await connect());
    const group = await client.get<{ preferredVersion: { groupVersion: string } }>(apiPath`/apis/${COMPOSITION_GROUP}`);
    const apiVersion = (found.apiVersion = group?.preferredVersion.groupVersion ?? "");
    if (apiVersion === "") return false;
    const asked = machine(apiVersion, "default", "asked");
    const { metadata } = await client.create<KubernetesObject>(pathOf(apiVersion, "default"), asked, { dryRun: "All" });
    return ANNOTATION.decision in (metadata.annotations ?? {});
  };
  await until(decides, 1000, START_MS, `a decision of ${name}`);
  const { client, apiVersion } = found;
  if (client === null) throw new LandfallError("LOCAL_BENCH", { detail: `${name} has no API server` });
  return { name, dir, client, apiVersion, stop };
}
