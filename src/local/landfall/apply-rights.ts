import { existsSync } from "node:fs";
import { join } from "node:path";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { aggregateRoles } from "../control-plane/aggregate-roles.ts";
import { applyManifests } from "../control-plane/apply-manifests.ts";
import { chartFolders } from "./publish-charts.ts";

/** Applies the `rbac.yaml` of the charts of a folder: rights to kinds that Landfall's own charts do not render. Errors: LOCAL_APPLY, LOCAL_EXAMPLE. */
export async function applyRights(client: KubeClient, charts: string): Promise<void> {
  const files = (await chartFolders(charts))
    .map((chart) => join(chart, "rbac.yaml"))
    .filter((file) => existsSync(file));
  if (files.length === 0) return;
  await applyManifests(client, files);
  await aggregateRoles(client);
}
