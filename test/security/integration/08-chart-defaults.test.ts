import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { renderCluster } from "../../support/render-cluster.ts";
import { type Manifest, renderVm } from "../../support/render-vm.ts";

async function values(chart: string, name: string): Promise<Record<string, unknown>> {
  const file = new URL(`../../../charts/${chart}/ci/${name}-values.yaml`, import.meta.url);
  return parse(await readFile(file, "utf8")) as Record<string, unknown>;
}

const specOf = (manifests: readonly Manifest[], kind: string): unknown =>
  manifests.find((manifest) => manifest.kind === kind)?.spec;

describe("8: what charts open by default", () => {
  it("GKE nodes have no scope beyond logs, metrics and images", async () => {
    const pool = specOf(await renderCluster(await values("kaas-cluster", "gcp-minimal")), "ContainerNodePool");
    const { oauthScopes } = (pool as { nodeConfig: { oauthScopes: string[] } }).nodeConfig;
    expect(oauthScopes.map((scope) => scope.split("/").at(-1))).toEqual([
      ...["devstorage.read_only", "logging.write", "monitoring"],
      ...["service.management.readonly", "servicecontrol", "trace.append"],
    ]);
  });

  it("AKS issues identities to pods", async () => {
    const cluster = specOf(await renderCluster(await values("kaas-cluster", "azure-minimal")), "ManagedCluster");
    expect(cluster).toMatchObject({
      oidcIssuerProfile: { enabled: true },
      securityProfile: { workloadIdentity: { enabled: true } },
    });
  });

  it("machines on AWS give credentials to no container", async () => {
    const machine = specOf(await renderVm(await values("vmtemplate", "aws-minimal")), "Instance");
    expect(machine).toMatchObject({ metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 } });
  });

  it("machines on Google Cloud refuse the project's keys and have no service account", async () => {
    const machine = specOf(await renderVm(await values("vmtemplate", "gcp-minimal")), "ComputeInstance");
    expect(machine).toMatchObject({ metadata: [{ key: "block-project-ssh-keys", value: "true" }] });
    expect(machine).not.toHaveProperty("serviceAccount");
  });

  it("machines on Azure have no password", async () => {
    const machine = specOf(await renderVm(await values("vmtemplate", "azure-minimal")), "VirtualMachine");
    expect(machine).toMatchObject({
      osProfile: { linuxConfiguration: { disablePasswordAuthentication: true } },
    });
  });
});
