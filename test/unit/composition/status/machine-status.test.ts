import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MACHINE_PATHS } from "../../../../src/composition/status/machine-paths.ts";
import { machineStatus } from "../../../../src/composition/status/machine-status.ts";
import type { Found } from "../../../../src/composition/status/retry-times.ts";

type Fields = Record<string, unknown>;

const NOTHING = { id: null, resource: null, publicAddresses: null, privateAddresses: null, disks: null };

function found(group: string, kind: string, name: string, fields: { spec?: Fields; status?: Fields }): Found {
  const apiVersion = `${group}/v1`;
  return { apiVersion, kind, name, live: { apiVersion, kind, metadata: { name }, ...fields } };
}

const instance = (status: Fields, spec: Fields = {}): Found =>
  found("ec2.services.k8s.aws", "Instance", "web", { spec, status });

describe("the status of a machine", () => {
  it("on Azure has the ids of machine and disks, and the addresses of its network's parts", () => {
    const arm = "/subscriptions/1/resourceGroups/web/providers";
    const machine = found("compute.azure.com", "VirtualMachine", "web-12", {
      status: {
        vmId: "6fa1",
        id: `${arm}/Microsoft.Compute/virtualMachines/web`,
        storageProfile: { osDisk: { managedDisk: { id: `${arm}/Microsoft.Compute/disks/web_OsDisk` } } },
      },
    });
    const disk = found("compute.azure.com", "Disk", "web-12-data", { status: { id: `${arm}/disks/web-12-data` } });
    const nic = found("network.azure.com", "NetworkInterface", "web-12-nic", {
      status: { ipConfigurations: [{ name: "primary", privateIPAddress: "10.0.0.4" }] },
    });
    const address = found("network.azure.com", "PublicIPAddress", "web-12-ip", { status: { ipAddress: "20.1.2.3" } });
    expect(machineStatus([address, nic, disk, machine])).toEqual({
      id: "6fa1",
      resource: `${arm}/Microsoft.Compute/virtualMachines/web`,
      publicAddresses: ["20.1.2.3"],
      privateAddresses: ["10.0.0.4"],
      disks: [
        { name: "data", id: `${arm}/disks/web-12-data` },
        { name: "os", id: `${arm}/Microsoft.Compute/disks/web_OsDisk` },
      ],
    });
  });

  it("on AWS has what ACK reads and writes back", () => {
    const arn = "arn:aws:ec2:eu-south-1:000000000000:instance/i-0abc";
    const status = {
      instanceID: "i-0abc",
      ackResourceMetadata: { arn },
      publicIPAddress: "15.1.2.3",
      ipv6Address: "2a05:d018::1",
    };
    const spec = { networkInterfaces: [{ deviceIndex: 0, privateIPAddress: "10.0.0.9" }] };
    expect(machineStatus([instance(status, spec)])).toEqual({
      id: "i-0abc",
      resource: arn,
      publicAddresses: ["15.1.2.3", "2a05:d018::1"],
      privateAddresses: ["10.0.0.9"],
      disks: null,
    });
  });

  it("on Google Cloud has the links of machine and disks", () => {
    const group = "compute.cnrm.cloud.google.com";
    const link = "https://www.googleapis.com/compute/v1/projects/p/zones/z";
    const machine = found(group, "ComputeInstance", "web", {
      status: { instanceId: "8123", selfLink: `${link}/instances/web` },
    });
    const disk = found(group, "ComputeDisk", "web-data", { status: { selfLink: `${link}/disks/web-data` } });
    expect(machineStatus([machine, disk])).toEqual({
      ...NOTHING,
      id: "8123",
      resource: `${link}/instances/web`,
      disks: [{ name: "data", id: `${link}/disks/web-data` }],
    });
  });

  it.each([
    ["10.1.2.3", "privateAddresses"],
    ["8.8.4.4", "publicAddresses"],
  ])("on Elemento sorts %s by its range to the %s", (ipv4, field) => {
    const volumes = [
      { name: "web-boot", id: "v1" },
      { name: "web-data", id: "v2" },
      { name: "web-late", state: "creating" },
    ];
    const machine = found("elemento.landfall.dev", "ElementoVm", "web", { status: { id: "m1", ipv4, volumes } });
    const disks = [
      { name: "boot", id: "v1" },
      { name: "data", id: "v2" },
    ];
    expect(machineStatus([machine])).toEqual({ ...NOTHING, id: "m1", [field]: [ipv4], disks });
  });

  it("is nothing for a release without a machine, and before its provider answers", () => {
    expect(machineStatus([found("ec2.services.k8s.aws", "VPC", "web-vpc", { status: { vpcID: "vpc-1" } })])).toBeNull();
    expect(
      machineStatus([{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "Instance", name: "web", live: null }]),
    ).toBeNull();
    expect(machineStatus([instance({})])).toBeNull();
  });

  it.each([
    ["a text instead of an address", { publicIPAddress: "see https://evil.example" }],
    ["an address with a zone or more behind it", { publicIPAddress: `${"1".repeat(40)}.1.1.1` }],
    ["an id with a line break", { instanceID: "i-1\nready: true" }],
    ["an id with an escape of a terminal", { instanceID: "i-\u001b[2J" }],
    ["an id that is too long", { instanceID: "i".repeat(1025) }],
    ["an id of another type", { instanceID: { secret: "x" } }],
  ])("leaves out %s", (_what, status) => {
    expect(machineStatus([instance(status)])).toBeNull();
  });

  it("takes over at most 8 addresses and 64 disks", () => {
    const networkInterfaces = Array.from({ length: 20 }, (_, index) => ({
      privateIPAddress: `10.0.0.${String(index)}`,
    }));
    const volumes = Array.from({ length: 100 }, (_, index) => ({
      name: `web-${String(index)}`,
      id: `v${String(index)}`,
    }));
    const many = machineStatus([
      instance({ instanceID: "i-1" }, { networkInterfaces }),
      found("elemento.landfall.dev", "ElementoVm", "web", { status: { volumes } }),
    ]);
    expect([many?.privateAddresses?.length, many?.disks?.length]).toEqual([8, 64]);
  });
});

const { fields } = JSON.parse(readFileSync("test/fixtures/operators/machine-fields.json", "utf8")) as {
  fields: Record<string, string[]>;
};

const PATHS = Object.entries(MACHINE_PATHS).flatMap(([kind, paths]) =>
  Object.values(paths as Record<string, string | string[]>)
    .flat()
    .map((path) => [kind, path] as const),
);

describe("each path of a machine's values", () => {
  it.each(PATHS.filter(([kind]) => !kind.startsWith("elemento")))(
    "of %s is in its operator's CRD: %s",
    (kind, path) => {
      expect(fields[kind]).toContain(path);
    },
  );
});
