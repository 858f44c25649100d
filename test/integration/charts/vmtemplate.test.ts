import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { crdValidator } from "../../support/crd-validator.ts";
import { CHART, type Manifest, renderVm } from "../../support/charts/render-vm.ts";

const FULL_CRDS = fileURLToPath(new URL("../../../../shared/crds", import.meta.url));
const OWN_CRDS = [
  fileURLToPath(new URL("../../../src/local/crds", import.meta.url)),
  fileURLToPath(new URL("../../../charts/landfall/definitions", import.meta.url)),
];

const files = (await readdir(join(CHART, "ci"))).filter((file) => file.endsWith("-values.yaml")).sort();
const cases = new Map<string, Manifest[]>();
const values = new Map<string, Record<string, unknown>>();
for (const file of files) {
  const name = file.replace(/-values\.yaml$/, "");
  const read = parse(await readFile(join(CHART, "ci", file), "utf8")) as Record<string, unknown>;
  values.set(name, read);
  cases.set(name, await renderVm(read));
}

function find(name: string, kind: string): Manifest["spec"] {
  const found = cases.get(name)?.find((manifest) => manifest.kind === kind);
  expect(found, `${kind} in ${name}`).toBeDefined();
  return found?.spec ?? {};
}

const kinds = (name: string): string[] => (cases.get(name) ?? []).map(({ kind }) => kind).sort();
const decode = (text: unknown): string => Buffer.from(String(text), "base64").toString();

describe("every case", () => {
  const own = crdValidator(OWN_CRDS);
  it.each([...cases])("%s fits the project's own CRDs", (_name, manifests) => {
    expect(manifests.flatMap((manifest) => own.check(manifest))).toEqual([]);
  });

  // The full CRDs lie beside the project only in its workshop; without them the own ones above still hold.
  describe("the operators' own CRDs, of ../shared/crds", () => {
    if (!existsSync(FULL_CRDS)) {
      it("are compared", ({ skip }) => skip("../shared/crds is absent"));
      return;
    }
    const full = crdValidator(["aso", "ack", "kcc"].map((family) => join(FULL_CRDS, family)));
    it.each([...cases].filter(([name]) => !name.startsWith("elemento")))(
      "%s fits the operators' full CRDs",
      (_name, manifests) => {
        // The folder has no CRD of LaunchTemplate.
        const known = manifests.filter(({ kind }) => kind !== "LaunchTemplate");
        expect(known.flatMap((manifest) => full.check(manifest))).toEqual([]);
      },
    );
  });

  // Krateo reads the namespace of status.managed[].path from the manifest.
  it.each([...cases])("%s names the release's namespace on every resource", (_name, manifests) => {
    expect(manifests.length).toBeGreaterThan(0);
    expect(manifests.map(({ metadata }) => metadata.namespace)).toEqual(manifests.map(() => "demo"));
  });

  it.each([...cases])("%s names its composition on every resource", (_name, manifests) => {
    expect(manifests.map(({ metadata }) => metadata.labels?.["landfall.dev/composition"])).toEqual(
      manifests.map(() => "web"),
    );
  });

  it("renders the same bytes twice", async () => {
    expect(await renderVm(values.get("aws-full") ?? {})).toEqual(cases.get("aws-full"));
  });
});

describe("Azure", () => {
  it("creates its own network with the machine", () => {
    expect(kinds("azure-minimal")).toEqual(
      [
        "NetworkInterface",
        "NetworkSecurityGroup",
        "ResourceGroup",
        "VirtualMachine",
        "VirtualNetwork",
        "VirtualNetworksSubnet",
      ].sort(),
    );
  });

  it("opens exactly the requested ports, for the given networks", () => {
    const rules = (cases.get("azure-full") ?? [])
      .filter(({ kind }) => kind === "NetworkSecurityGroupsSecurityRule")
      .map(({ spec }) => spec);
    expect(rules).toMatchObject([
      {
        protocol: "Tcp",
        destinationPortRange: "22",
        sourceAddressPrefixes: ["203.0.113.0/24", "198.51.100.0/24"],
        priority: 1000,
      },
      { protocol: "Udp", destinationPortRange: "8000-8010", sourceAddressPrefix: "*", priority: 1001 },
    ]);
  });

  it("puts the key, the user data, the image and the disks into the machine", () => {
    expect(find("azure-full", "VirtualMachine")).toMatchObject({
      osProfile: {
        customData: Buffer.from("#cloud-config\npackages: [nginx]\n").toString("base64"),
        linuxConfiguration: { ssh: { publicKeys: [{ keyData: expect.stringMatching(/ demo$/) as string }] } },
      },
      storageProfile: {
        imageReference: { publisher: "Canonical", offer: "ubuntu-24_04-lts", sku: "server", version: "latest" },
        osDisk: { diskSizeGB: 64, managedDisk: { storageAccountType: "Premium_LRS" } },
        dataDisks: [{ lun: 0 }, { lun: 1 }, { lun: 2, caching: "None" }],
      },
      zones: ["1"],
    });
    expect(JSON.stringify(find("azure-full", "VirtualMachine")).match(/"caching"/g)).toHaveLength(1);
    expect(find("azure-full", "Disk")).toMatchObject({ diskSizeGB: 100, sku: { name: "Premium_LRS" }, zones: ["1"] });
  });

  it("locks a machine without a key", () => {
    const { osProfile } = find("azure-minimal", "VirtualMachine") as { osProfile: { linuxConfiguration: unknown } };
    expect(JSON.stringify(osProfile.linuxConfiguration)).toContain('"disablePasswordAuthentication":true');
    expect(JSON.stringify(osProfile.linuxConfiguration)).toContain(" locked");
  });

  it("joins an existing subnet, uses a custom image, and creates no network", () => {
    expect(kinds("azure-existing-network")).not.toContain("VirtualNetwork");
    expect(JSON.stringify(find("azure-existing-network", "NetworkInterface"))).toContain(
      '"armId":"/subscriptions/0/resourceGroups/shared',
    );
    expect(JSON.stringify(find("azure-existing-network", "VirtualMachine"))).toContain("images/golden");
  });

  it("leaves everything running if it is to be retained", () => {
    const policies = (cases.get("azure-full") ?? []).map(
      ({ metadata }) => metadata.annotations?.["serviceoperator.azure.com/reconcile-policy"],
    );
    expect(new Set(policies)).toEqual(new Set(["detach-on-delete"]));
  });
});

describe("AWS", () => {
  it("creates its own network with the machine", () => {
    expect(kinds("aws-minimal")).toEqual([
      "Instance",
      "InternetGateway",
      "RouteTable",
      "SecurityGroup",
      "Subnet",
      "VPC",
    ]);
  });

  it("waits for the id of its security group and is valid without it", () => {
    const instance = cases.get("aws-full")?.find(({ kind }) => kind === "Instance");
    expect(instance?.metadata.annotations?.["landfall.dev/awaits"]).toBe(
      "ec2.services.k8s.aws/SecurityGroup/web-sg:status.id",
    );
    expect(instance?.spec["securityGroupIDs"]).toBeUndefined();
  });

  it("opens exactly the requested ports", () => {
    expect(find("aws-full", "SecurityGroup")).toMatchObject({
      ingressRules: [
        {
          ipProtocol: "tcp",
          fromPort: 22,
          toPort: 22,
          ipRanges: [{ cidrIP: "203.0.113.0/24" }, { cidrIP: "198.51.100.0/24" }],
        },
        { ipProtocol: "udp", fromPort: 8000, toPort: 8010, ipRanges: [{ cidrIP: "0.0.0.0/0" }] },
      ],
    });
    expect(find("aws-minimal", "SecurityGroup")["ingressRules"]).toEqual([]);
  });

  it("combines user data and key in one message", () => {
    const message = decode(find("aws-full", "Instance")["userData"]);
    expect(message).toMatch(/^Content-Type: multipart\/mixed; boundary="landfall-[0-9a-f]{16}"/);
    expect(message).toContain("packages: [nginx]");
    expect(message).toContain("ssh_authorized_keys:");
    expect(find("aws-minimal", "Instance")["userData"]).toBeUndefined();
  });

  it("encrypts every disk and sets the speed of the fast ones", () => {
    expect(find("aws-full", "Instance")["blockDeviceMappings"]).toMatchObject([
      { deviceName: "/dev/sda1", ebs: { volumeSize: 64, volumeType: "io2", iops: 3200, encrypted: true } },
      { deviceName: "/dev/sdf", ebs: { volumeSize: 100, volumeType: "io2", iops: 5000, encrypted: true } },
      { deviceName: "/dev/sdg", ebs: { volumeSize: 20, volumeType: "gp2", encrypted: true } },
    ]);
  });

  it.each([
    ["resolve:ssm:/aws/service/debian/release/12/latest/amd64", undefined, "/dev/xvda"],
    ["resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64", undefined, "/dev/xvda"],
    ["ami-0123456789abcdef0", "debian-12", "/dev/xvda"],
    ["ami-0123456789abcdef0", undefined, "/dev/sda1"],
  ])("gives its system disk the name that the image %s (os %s) has for it", async (image, os, deviceName) => {
    const given = { ...values.get("aws-minimal"), image, ...(os && { os }) };
    const [instance] = (await renderVm(given)).filter(({ kind }) => kind === "Instance");
    expect(instance?.spec["blockDeviceMappings"]).toMatchObject([{ deviceName }]);
  });

  it("tags the volumes by a launch template that has nothing else, and only where there are tags", () => {
    const template = find("aws-full", "LaunchTemplate");
    const tags = [
      { key: "Name", value: expect.any(String) as unknown },
      ...Object.entries(values.get("aws-full")?.["tags"] as Record<string, string>).map(([key, value]) => ({
        key,
        value,
      })),
    ];
    expect(template["data"]).toEqual({ tagSpecifications: [{ resourceType: "volume", tags }] });
    const named = cases.get("aws-full")?.find(({ kind }) => kind === "LaunchTemplate")?.metadata.name;
    expect(find("aws-full", "Instance")["launchTemplate"]).toEqual({
      ...{ launchTemplateRef: { from: { name: named } }, version: "$Latest" },
    });
    expect(kinds("aws-minimal")).not.toContain("LaunchTemplate");
    expect(find("aws-minimal", "Instance")).not.toHaveProperty("launchTemplate");
  });

  it("names region and deletion policy on every resource", () => {
    for (const { metadata } of cases.get("aws-full") ?? []) {
      expect(metadata.annotations).toMatchObject({
        "services.k8s.aws/region": "eu-west-1",
        "services.k8s.aws/deletion-policy": "retain",
      });
    }
  });

  it("joins an existing subnet with its groups, and opens ports in its VPC", () => {
    expect(kinds("aws-existing-network")).toEqual(["Instance", "SecurityGroup"]);
    expect(find("aws-existing-network", "Instance")).toMatchObject({
      subnetID: "subnet-1",
      securityGroupIDs: ["sg-1"],
    });
    expect(find("aws-existing-network", "SecurityGroup")).toMatchObject({ vpcID: "vpc-1" });
  });
});

describe("Google Cloud", () => {
  it("creates its own network with the machine", () => {
    expect(kinds("gcp-minimal")).toEqual(["ComputeInstance", "ComputeNetwork", "ComputeSubnetwork"]);
  });

  it("opens exactly the requested ports, for this machine alone", () => {
    const rules = (cases.get("gcp-full") ?? [])
      .filter(({ kind }) => kind === "ComputeFirewall")
      .map(({ spec }) => spec);
    expect(rules).toMatchObject([
      { allow: [{ protocol: "tcp", ports: ["22"] }], sourceRanges: ["203.0.113.0/24", "198.51.100.0/24"] },
      { allow: [{ protocol: "udp", ports: ["8000-8010"] }], sourceRanges: ["0.0.0.0/0"] },
    ]);
    expect(rules[0]?.["targetTags"]).toEqual(find("gcp-full", "ComputeInstance")["tags"]);
  });

  it("puts the key, the user data, the image and the disks into the machine", () => {
    expect(find("gcp-full", "ComputeInstance")).toMatchObject({
      bootDisk: {
        initializeParams: {
          size: 64,
          type: "pd-ssd",
          sourceImageRef: { external: "ubuntu-os-cloud/ubuntu-2404-noble-amd64-v20260906" },
        },
      },
      attachedDisk: [{ sourceDiskRef: { name: "web-data" } }, { sourceDiskRef: { name: "web-log" } }],
      metadata: [
        { key: "block-project-ssh-keys", value: "true" },
        { key: "ssh-keys", value: expect.stringMatching(/^landfall:ssh-ed25519 /) as string },
        { key: "user-data" },
      ],
      networkInterface: [{ accessConfig: [{ networkTier: "PREMIUM" }] }],
    });
    expect(find("gcp-minimal", "ComputeInstance")["networkInterface"]).toEqual([
      { subnetworkRef: { name: "web-subnet" } },
    ]);
  });

  it("allows the machine to be stopped for a new size", () => {
    const instance = cases.get("gcp-minimal")?.find(({ kind }) => kind === "ComputeInstance");
    expect(instance?.metadata.annotations?.["cnrm.cloud.google.com/allow-stopping-for-update"]).toBe("true");
  });

  it("labels the boot disk with the tags, too", () => {
    const labelled = find("gcp-full", "ComputeInstance")["bootDisk"] as { initializeParams: { labels: unknown } };
    expect(labelled.initializeParams.labels).toEqual(values.get("gcp-full")?.["tags"]);
    const plain = find("gcp-minimal", "ComputeInstance")["bootDisk"] as { initializeParams: object };
    expect(plain.initializeParams).not.toHaveProperty("labels");
  });

  it("writes the tags as labels, and abandons retained resources", () => {
    for (const { metadata } of cases.get("gcp-full") ?? []) {
      expect(metadata.labels?.["team"]).toBe("search");
      expect(metadata.annotations?.["cnrm.cloud.google.com/deletion-policy"]).toBe("abandon");
    }
  });

  it("joins an existing network", () => {
    expect(kinds("gcp-existing-network")).toEqual(["ComputeFirewall", "ComputeInstance"]);
    expect(find("gcp-existing-network", "ComputeFirewall")).toMatchObject({
      networkRef: { external: "projects/shared/global/networks/hub" },
    });
  });
});

describe("Elemento", () => {
  it("requests the flavour's size, and three volumes or more", () => {
    expect(find("elemento-full", "ElementoVm")).toMatchObject({
      provider: "ovh",
      region: "fr-gravelines",
      cpu: { slots: 2, flags: ["sse2"] },
      memory: { sizeMiB: 2048 },
      volumes: [{ type: "image", bootable: true }, { type: "cloud-init" }, { type: "data", sizeGB: 100 }],
      sshPublicKey: expect.stringMatching(/ demo$/) as string,
      userData: "#cloud-config\npackages: [nginx]\n",
      tags: { team: "search" },
      deletionPolicy: "retain",
    });
  });

  it("joins an existing network", () => {
    expect(find("elemento-existing-network", "ElementoVm")["network"]).toEqual({
      existing: "6f1c1e5e-6f0b-4a53-9a5c-0e6d3b9a1c11",
    });
  });
});

describe("values that would be ignored are rejected", () => {
  it.each([
    ["elemento-minimal", { ports: [{ port: 22 }] }, "no firewall"],
    ["elemento-minimal", { network: { publicIP: true } }, "private"],
    ["elemento-minimal", { osDisk: { type: "premium" } }, "one class of disks"],
    ["elemento-minimal", { disks: [{ name: "a", sizeGiB: 1, type: "premium" }] }, "one class of disks"],
    ["elemento-minimal", { disks: [{ name: "a", sizeGiB: 1, deletionPolicy: "retain" }] }, "deletes the disks"],
    ["elemento-minimal", { instanceType: "m7i.large" }, "is not an Elemento flavour"],
    ["elemento-minimal", { network: { existing: { subnet: "x" } } }, "network.existing.network is missing"],
    [
      "aws-existing-network",
      { network: { publicIP: true, existing: { network: "v", subnet: "s" } } },
      "existing subnet itself",
    ],
    ["aws-existing-network", { network: { existing: { subnet: "s" } } }, "network.existing.network is missing"],
    ["gcp-minimal", { network: { existing: { network: "n" } } }, "network.existing.subnet is missing"],
    [
      "azure-minimal",
      { network: { existing: { subnet: "/subscriptions/s", securityGroups: ["g"] } } },
      "exist on AWS only",
    ],
    ["azure-minimal", { network: { existing: { subnet: "apps" } } }, "is not an ARM id"],
    ["azure-minimal", { ports: [{ port: 90, toPort: 80 }] }, "toPort 80 is below port 90"],
    [
      "azure-minimal",
      {
        disks: [
          { name: "a", sizeGiB: 1 },
          { name: "a", sizeGiB: 1 },
        ],
      },
      "used twice",
    ],
    ["azure-minimal", { image: undefined }, "image is missing"],
    ["azure-minimal", { image: "Canonical:ubuntu" }, "neither an ARM id nor publisher:offer:sku:version"],
    ["gcp-minimal", { zone: undefined }, "zone is missing"],
    ["azure-minimal", { flavor: "x" }, "flavor"],
    ["azure-minimal", { cpu: "2" }, "cpu"],
    ["azure-minimal", { disks: [{ name: "a", sizeGiB: 1, fast: true }] }, "fast"],
  ])("%s with %j", async (name, change, text) => {
    const wanted = Object.fromEntries(
      Object.entries({ ...values.get(name), ...change }).filter(([, value]) => value !== undefined),
    );
    await expect(renderVm(wanted)).rejects.toMatchObject({
      code: "REL_RENDER",
      message: expect.stringContaining(text) as string,
    });
  });
});

describe("a spot machine", () => {
  it("is asked for in the words of each provider, at most at the price that is allowed", () => {
    expect(find("gcp-spot", "ComputeInstance")["scheduling"]).toEqual({
      ...{ provisioningModel: "SPOT", preemptible: true, automaticRestart: false, onHostMaintenance: "TERMINATE" },
      instanceTerminationAction: "STOP",
    });
    expect(find("aws-spot", "Instance")["instanceMarketOptions"]).toEqual({
      marketType: "spot",
      spotOptions: { spotInstanceType: "one-time", instanceInterruptionBehavior: "terminate", maxPrice: "0.05" },
    });
    const { priority, evictionPolicy, billingProfile } = find("azure-spot", "VirtualMachine");
    expect({ priority, evictionPolicy, billingProfile }).toEqual({
      ...{ priority: "Spot", evictionPolicy: "Delete", billingProfile: { maxPrice: 0.05 } },
    });
  });

  const limits = { "0.123456": 0.12345, "0.000009": 0.00001, "10.000009": 10, "12": 12, none: -1 };
  it.each(Object.entries(limits))("on Azure, with five decimals, costs at most %s: %d", async (limit, expected) => {
    const maxPrice = limit === "none" ? undefined : limit;
    const rendered = await renderVm({ ...values.get("azure-spot"), maxPrice });
    const machine = rendered.find(({ kind }) => kind === "VirtualMachine");
    expect(machine?.spec["billingProfile"]).toEqual({ maxPrice: expected });
  });

  it.each(["aws", "azure", "gcp"])("of %s is none if admission chose on demand", async (provider) => {
    const manifests = await renderVm({ ...values.get(`${provider}-spot`), capacityType: "on-demand" });
    expect(JSON.stringify(manifests)).not.toMatch(/spot/i);
  });

  it("is not sold by Elemento", async () => {
    await expect(renderVm({ ...values.get("elemento-minimal"), capacity: "spot" })).rejects.toThrow(/no spot machines/);
  });
});

describe("a data disk that stays", () => {
  const POLICY = {
    azure: "serviceoperator.azure.com/reconcile-policy",
    gcp: "cnrm.cloud.google.com/deletion-policy",
  };
  const policies = (name: string, key: string): Record<string, unknown> =>
    Object.fromEntries(
      (cases.get(name) ?? []).map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata.annotations?.[key]]),
    );

  it("is left on Google Cloud, and nothing else", () => {
    const found = policies("gcp-run", POLICY.gcp);
    const left = Object.keys(found).filter((name) => found[name] === "abandon");
    expect(left).toEqual([expect.stringMatching(/^ComputeDisk .*-data$/)]);
  });

  it("is left on Azure in a resource group of its own, since that of the machine is deleted with everything in it", () => {
    const found = policies("azure-run", POLICY.azure);
    const left = Object.keys(found).filter((name) => found[name] === "detach-on-delete");
    expect(left.sort()).toEqual([
      expect.stringMatching(/^Disk .*-data$/),
      expect.stringMatching(/^ResourceGroup .*-disks$/),
    ]);
    const owners = (cases.get("azure-run") ?? [])
      .filter(({ kind }) => kind === "Disk")
      .map(({ spec }) => spec["owner"]);
    expect(owners).toEqual([
      { name: expect.stringMatching(/-disks$/) as string },
      { name: expect.stringMatching(/-rg$/) as string },
    ]);
    expect(kinds("azure-minimal").filter((kind) => kind === "ResourceGroup")).toHaveLength(1);
  });

  it("outlives the instance on AWS", () => {
    const { blockDeviceMappings } = find("aws-run", "Instance") as {
      blockDeviceMappings: { ebs: { deleteOnTermination: boolean } }[];
    };
    expect(blockDeviceMappings.map(({ ebs }) => ebs.deleteOnTermination)).toEqual([true, false, true]);
  });
});

describe("a run that ends", () => {
  const gcp = { ...values.get("gcp-run") };

  it("has no limit of Google's: Config Connector refuses one that stops the machine", async () => {
    expect(find("gcp-run", "ComputeInstance")).not.toHaveProperty("scheduling");
    const spot = await renderVm({ ...values.get("gcp-spot"), maxLifetime: "4h" });
    const { scheduling } = spot.find(({ kind }) => kind === "ComputeInstance")?.spec ?? {};
    expect(scheduling).toMatchObject({ provisioningModel: "SPOT", instanceTerminationAction: "STOP" });
    expect(scheduling).not.toHaveProperty("maxRunDuration");
  });

  it("ends on AWS also if the machine shuts itself down, unless it is to be kept or retained", async () => {
    expect(find("aws-run", "Instance")["instanceInitiatedShutdownBehavior"]).toBe("terminate");
    expect(find("aws-minimal", "Instance")).not.toHaveProperty("instanceInitiatedShutdownBehavior");
    const retained = await renderVm({ ...values.get("aws-run"), deletionPolicy: "retain" });
    expect(JSON.stringify(retained)).not.toContain("instanceInitiatedShutdownBehavior");
  });

  it("is stopped where the provider can stop it, and runs until then", async () => {
    expect(find("elemento-run", "ElementoVm")["powerState"]).toBe("off");
    expect(find("gcp-minimal", "ComputeInstance")["desiredStatus"]).toBe("RUNNING");
    const status = async (power: string): Promise<unknown> => {
      const manifests = await renderVm({ ...gcp, global: { powerState: power } });
      return manifests.find(({ kind }) => kind === "ComputeInstance")?.spec["desiredStatus"];
    };
    expect([await status("off"), await status("on")]).toEqual(["TERMINATED", "RUNNING"]);
    expect(await status("as-is")).toBeUndefined();
  });

  it.each([
    ["azure-full", "VirtualMachine"],
    ["aws-full", "Instance"],
    ["gcp-full", "ComputeInstance"],
    ["elemento-full", "ElementoVm"],
  ])("keeps all of %s but the machine while that is deleted for a pause", async (name, machine) => {
    const all = cases.get(name) ?? [];
    const paused = await renderVm({ ...values.get(name), global: { powerState: "deleted" } });
    expect(all.filter(({ kind }) => kind === machine)).toHaveLength(1);
    expect(paused).toEqual(all.filter(({ kind }) => kind !== machine));
  });

  it("is not started again by Config Connector after it shut itself down or reached Google's limit", () => {
    expect(find("gcp-run", "ComputeInstance")).not.toHaveProperty("desiredStatus");
  });
});
