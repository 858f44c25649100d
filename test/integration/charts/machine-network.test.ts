import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CHART, renderVm } from "../../support/charts/render-vm.ts";

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
