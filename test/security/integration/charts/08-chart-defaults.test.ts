import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { renderCluster } from "../../../support/charts/render-cluster.ts";
import { type Manifest, renderVm } from "../../../support/charts/render-vm.ts";

async function values(chart: string, name: string): Promise<Record<string, unknown>> {
  const file = new URL(`../../../../charts/${chart}/ci/${name}-values.yaml`, import.meta.url);
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

  it("EKS has a public endpoint only where the object asks for one", async () => {
    const minimal = await values("kaas-cluster", "aws-minimal");
    for (const [endpoint, isPublic] of [
      [undefined, false],
      ["private", false],
      ["public", true],
    ]) {
      const asked = endpoint === undefined ? minimal : { ...minimal, endpoint };
      expect(specOf(await renderCluster(asked), "Cluster")).toMatchObject({
        resourcesVPCConfig: { endpointPublicAccess: isPublic, endpointPrivateAccess: true },
      });
    }
  });

  it("AKS has no local accounts, and gives out no administrator's certificate", async () => {
    const cluster = specOf(await renderCluster(await values("kaas-cluster", "azure-minimal")), "ManagedCluster");
    expect(cluster).toMatchObject({
      disableLocalAccounts: true,
      aadProfile: { managed: true, enableAzureRBAC: true },
    });
    const { secrets } = (cluster as { operatorSpec: { secrets: object } }).operatorSpec;
    expect(Object.keys(secrets)).toEqual(["userCredentials"]);
  });

  it.each([
    ["Canonical:ubuntu-24_04-lts:server:latest", "Standard_D2s_v5", true],
    ["Canonical:0001-com-ubuntu-server-jammy:22_04-lts-gen2:latest", "Standard_D2s_v5", true],
    ["Canonical:ubuntu-24_04-lts:server-arm64:latest", "Standard_D2ps_v5", false],
    ["Canonical:0001-com-ubuntu-server-jammy:22_04-lts:latest", "Standard_D2s_v5", false],
    ["Canonical:ubuntu-24_04-lts:server:latest", "Standard_M8ms", false],
    ["/subscriptions/0/resourceGroups/images/providers/Microsoft.Compute/images/golden", "Standard_D2s_v5", false],
  ])("a machine on Azure of %s on %s has trusted launch: %s", async (image, instanceType, trusted) => {
    const asked = { ...(await values("vmtemplate", "azure-minimal")), image, instanceType };
    const machine = specOf(await renderVm(asked), "VirtualMachine") as { securityProfile?: object };
    expect(machine.securityProfile).toEqual(
      trusted
        ? { securityType: "TrustedLaunch", uefiSettings: { secureBootEnabled: true, vTpmEnabled: true } }
        : undefined,
    );
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
