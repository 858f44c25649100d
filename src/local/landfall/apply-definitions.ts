import { discover } from "../../cluster/discover.ts";
import { COMPOSITION_GROUP } from "../../model/names.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { applyObject } from "../control-plane/apply-object.ts";
import type { PublishedChart } from "./publish-charts.ts";
import { waitUntil } from "../processes/wait-until.ts";
import { SYSTEM_NAMESPACE } from "../control-plane/write-pki.ts";

/** `0.1.0` -> `v0-1-0`, as Krateo names the versions of a composition. */
export const servedVersion = (chartVersion: string): string => `v${chartVersion.replaceAll(".", "-")}`;

/** `vm-template` -> `VmTemplate`. */
const kindOf = (chartName: string): string =>
  chartName.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

async function isServed(client: KubeClient, chart: PublishedChart): Promise<boolean> {
  const apiVersion = `${COMPOSITION_GROUP}/${servedVersion(chart.version)}`;
  return (await discover(client).find(apiVersion, kindOf(chart.name))) !== null;
}

/** Applies a CompositionDefinition per chart; resolves when the API server serves their kinds. Errors: LOCAL_APPLY, LOCAL_NOT_READY. */
export async function applyDefinitions(client: KubeClient, charts: PublishedChart[], log: string): Promise<void> {
  await Promise.all(
    charts.map(async (chart) => {
      const { name, url, version } = chart;
      const definition = {
        apiVersion: "core.krateo.io/v1alpha1",
        kind: "CompositionDefinition",
        metadata: { name, namespace: SYSTEM_NAMESPACE },
        spec: { chart: { url, version } },
      };
      await applyObject(client, definition);
      await waitUntil({ what: `the kind ${kindOf(name)}`, seconds: 60, log }, async () => isServed(client, chart));
    }),
  );
}
