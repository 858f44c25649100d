import { readFile } from "node:fs/promises";
import { Agent, request } from "undici";
import { parse } from "yaml";
import type { ControlPlane } from "../src/local/control-plane/start-control-plane.ts";
import { valueOf } from "./value-of.ts";

/** Names without contents: a release's Secret contains its whole chart. */
const METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/** How many Helm releases of the namespace are deployed. */
export async function countReleases(plane: ControlPlane, namespace: string): Promise<number> {
  const kubeconfig: unknown = parse(await readFile(plane.kubeconfig, "utf8"));
  const clusters = valueOf(kubeconfig, "clusters");
  const server = String(valueOf(Array.isArray(clusters) ? clusters[0] : undefined, "cluster", "server"));
  const { certificate, key } = plane.pki.clients.admin;
  const dispatcher = new Agent({ connect: { ca: plane.pki.authority, cert: certificate, key } });
  const selector = encodeURIComponent("owner=helm,status=deployed");
  const url = `${server}/api/v1/namespaces/${namespace}/secrets?labelSelector=${selector}`;
  const answer = await request(url, { dispatcher, headers: { accept: METADATA_ONLY } });
  const items = valueOf(await answer.body.json(), "items");
  await dispatcher.close();
  return Array.isArray(items) ? items.length : 0;
}
