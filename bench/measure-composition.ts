import { setTimeout as sleep } from "node:timers/promises";
import { type ApiPath, apiPath, below, versionPath } from "../src/cluster/api-path.ts";
import { LandfallError, messageOf } from "../src/errors.ts";
import type { ControlPlane } from "../src/local/control-plane/start-control-plane.ts";
import { countReleases } from "./count-releases.ts";
import { machineObjects } from "./sample-objects.ts";

const POLL_MS = 250;
const LONGEST_MS = 600_000;

async function create(plane: ControlPlane, path: ApiPath, body: unknown): Promise<void> {
  await plane.client.create(path, body).catch((thrown: unknown) => {
    throw new LandfallError("LOCAL_BENCH", { detail: `${path}: ${messageOf(thrown)}` }, thrown);
  });
}

/** Applies `objects` VmTemplates at once; seconds from the first request until every release is deployed. */
export async function measureComposition(
  plane: ControlPlane,
  {
    apiVersion,
    objects,
    namespace = "bench",
    report,
  }: { apiVersion: string; objects: number; namespace?: string; report: (line: string) => void },
): Promise<{ objects: number; seconds: number }> {
  await create(plane, apiPath`/api/v1/namespaces`, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  const path = below(versionPath(apiVersion), "namespaces", namespace, "vmtemplates");
  const began = performance.now();
  const elapsed = (): number => performance.now() - began;
  await Promise.all(machineObjects(objects, namespace, apiVersion).map((object) => create(plane, path, object)));
  report(`${objects} objects admitted after ${(elapsed() / 1000).toFixed(1)} s`);
  for (let deployed = 0; deployed < objects;) {
    if (elapsed() > LONGEST_MS)
      throw new LandfallError("LOCAL_BENCH", { detail: `only ${deployed} of ${objects} releases` });
    await sleep(POLL_MS);
    const before = Math.floor(deployed / 10);
    deployed = await countReleases(plane, namespace);
    if (Math.floor(deployed / 10) > before) report(`${deployed} releases after ${(elapsed() / 1000).toFixed(1)} s`);
  }
  return { objects, seconds: Number((elapsed() / 1000).toFixed(1)) };
}
