import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { openLiveRenders, type Live, valuesOf } from "../../support/charts/live-objects.ts";
import { CHART, renderVm } from "../../support/charts/render-vm.ts";

let renders: Awaited<ReturnType<typeof openLiveRenders>>;

beforeAll(async () => {
  renders = await openLiveRenders();
});

afterAll(() => renders.close());

describe("the security group of a machine on AWS", () => {
  it("opens a port once that several entries open, with all their networks", async () => {
    const values = {
      ...(parse(await readFile(join(CHART, "ci/aws-minimal-values.yaml"), "utf8")) as object),
      ports: [
        { port: 22, cidrs: ["203.0.113.0/24"] },
        { port: 443 },
        { port: 22, toPort: 22, protocol: "tcp", cidrs: ["198.51.100.0/24", "203.0.113.0/24"] },
        { port: 22, protocol: "udp", cidrs: ["198.51.100.0/24"] },
      ],
    };
    const group = (await renderVm(values)).find(({ kind }) => kind === "SecurityGroup");
    const rule = (ipProtocol: string, port: number, ...cidrs: string[]) => ({
      ...{ ipProtocol, fromPort: port, toPort: port },
      ipRanges: cidrs.map((cidrIP) => ({ cidrIP })),
    });
    expect(group?.spec["ingressRules"]).toEqual([
      rule("tcp", 22, "203.0.113.0/24", "198.51.100.0/24"),
      rule("tcp", 443, "0.0.0.0/0"),
      rule("udp", 22, "198.51.100.0/24"),
    ]);
  });
});

describe("the subnet of a machine on Azure", () => {
  const rendered = async (live: readonly Live[]) => {
    const manifests = await renders.render(CHART, await valuesOf(CHART, "azure-minimal"), live);
    return manifests.find(({ kind }) => kind === "VirtualNetworksSubnet");
  };
  const having = (spec: object): Live => ({
    ...{
      apiVersion: "network.azure.com/v1api20240301",
      kind: "VirtualNetworksSubnet",
      metadata: { name: "web-subnet" },
    },
    spec,
  });

  it("lets machines without an address reach the internet, as the guide says", async () => {
    const guide = await readFile(new URL("../../../docs/guides/vmtemplate.md", import.meta.url), "utf8");
    expect(guide).toContain("On Azure and Elemento, machines without a public address reach the internet.");
    const subnet = await rendered([]);
    expect(subnet?.spec["defaultOutboundAccess"]).toBe(true);
  });

  it("keeps what it has: Azure takes the field only when it makes a subnet", async () => {
    expect((await rendered([having({})]))?.spec).not.toHaveProperty("defaultOutboundAccess");
    expect((await rendered([having({ defaultOutboundAccess: true })]))?.spec["defaultOutboundAccess"]).toBe(true);
    expect((await rendered([having({ defaultOutboundAccess: false })]))?.spec["defaultOutboundAccess"]).toBe(false);
  });
});
