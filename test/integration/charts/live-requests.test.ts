import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLiveRenders, ofKind as of, valuesOf } from "../../support/charts/live-objects.ts";
import { CHART as CLUSTER } from "../../support/charts/render-cluster.ts";
import { CHART as MACHINE } from "../../support/charts/render-vm.ts";

let renders: Awaited<ReturnType<typeof openLiveRenders>>;
beforeAll(async () => {
  renders = await openLiveRenders();
});
afterAll(() => renders.close());

describe("the first render of a machine", () => {
  it.each([
    ["gcp", "compute.cnrm.cloud.google.com/v1beta1", "ComputeInstance"],
    ["aws", "ec2.services.k8s.aws/v1alpha1", "Instance"],
    ["azure", "compute.azure.com/v1api20220301", "VirtualMachine"],
  ])("asks once for the machine on %s, besides Helm's own question", async (provider, apiVersion, kind) => {
    const manifests = await renders.render(MACHINE, await valuesOf(MACHINE, `${provider}-full`), []);
    expect(of(manifests, kind)).toHaveLength(1);
    expect(renders.asked({ apiVersion, kind, metadata: { name: "web" } })).toBe(2);
  });
});

describe("a cluster with many pools", () => {
  it.each([
    ["gcp", "container.cnrm.cloud.google.com/v1beta1", "ContainerCluster", "e2-standard-2"],
    ["aws", "eks.services.k8s.aws/v1alpha1", "Cluster", "m7i.large"],
    ["azure", "containerservice.azure.com/v1api20240901", "ManagedCluster", "Standard_D2s_v5"],
  ])("asks once for the cluster on %s, besides Helm's own question", async (provider, apiVersion, kind, type) => {
    const names = Array.from({ length: 5 }, (_, index) => `pool${String(index)}`);
    const values = {
      ...(await valuesOf(CLUSTER, `${provider}-minimal`)),
      nodePools: names.map((name) => ({ name, cpu: 2, memory: 8 })),
      poolInstanceTypes: Object.fromEntries(names.map((name) => [name, type])),
    };
    expect(of(await renders.render(CLUSTER, values, []), kind)).toHaveLength(1);
    expect(renders.asked({ apiVersion, kind, metadata: { name: "web" } })).toBe(2);
  });
});
