import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import type { Kind } from "../../../../src/model/names.ts";
import { context, create, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
type Fields = Record<string, unknown>;

function warnings(spec: Fields, kind: Kind = "VmTemplate"): string[] {
  const object = { ...vm(spec), kind };
  const outcome = admit({ ...create(object), kind }, context(policy));
  if (!outcome.allowed) throw new TypeError(outcome.message);
  return outcome.warnings;
}

const pool = (changes: Fields): Fields => ({ nodePools: [{ name: "a", cpu: 4, memory: 16, ...changes }] });

/** In an existing network of AWS with so many groups. */
function onGroups(count: number): Fields {
  const securityGroups = Array.from({ length: count }, (_, at) => `sg-${String(at).repeat(8)}`);
  const existing = { network: "vpc-0123456789abcdef0", subnet: "subnet-0123456789abcdef0", securityGroups };
  return { cpu: 2, memory: 4, provider: "aws", schedulingLocation: "eu-west-1", network: { existing } };
}

const PUBLIC = { cpu: 2, memory: 4, network: { publicIP: true } };

/** So many entries with two networks each. */
const rules = (count: number): Fields[] =>
  Array.from({ length: count }, (_, at) => ({ port: 1000 + at, cidrs: ["10.0.0.0/8", "192.0.2.0/24"] }));

const onGke = (changes: Fields): Fields => ({ ...pool(changes), provider: "gcp", highAvailability: true });
/** A cluster in a region of which not all zones have the type of its pool. */
const onZones = (type: string, region: string, changes: Fields): Fields => ({
  ...onGke({ cpu: 4, ...changes }),
  ...{ schedulingLocation: region, poolInstanceTypes: { a: type } },
});

describe("valid input that is probably not meant", () => {
  it.each<[string, Fields, Kind, string]>([
    [
      "vCPUs in millicores",
      { cpu: 500, memory: 4 },
      "VmTemplate",
      "spec.cpu 500 means 500 vCPU; if it is meant in millicores, write cpu: 1 [ADM_CPU_LARGE]",
    ],
    [
      "vCPUs in millicores, and memory in MiB",
      pool({ cpu: 250, memory: 512 }),
      "KaasCluster",
      "spec.nodePools[0].cpu 250 means 250 vCPU; if it is meant in millicores, write cpu: 1 and memory: 1 [ADM_CPU_LARGE]",
    ],
    [
      "the zone of a machine in an existing subnet",
      {
        ...{ cpu: 2, memory: 4, provider: "aws", schedulingLocation: "eu-west-1" },
        network: { existing: { network: "vpc-0a1b2c3d", subnet: "subnet-0123456789abcdef0" } },
      },
      "VmTemplate",
      "network.existing.subnet subnet-0123456789abcdef0 decides the zone of the machine, whatever zone says: EC2 starts it in that of the subnet [ZONE_OF_SUBNET]",
    ],
    [
      "memory in MiB",
      { cpu: 2, memory: 8192 },
      "VmTemplate",
      "spec.memory 8192 means 8192 GiB for 2 vCPU; if it is meant in MiB, write memory: 8 [ADM_MEMORY_LARGE]",
    ],
    [
      "minutes in place of months",
      { cpu: 2, memory: 4, duration: "3m", whenDone: "delete" },
      "VmTemplate",
      "duration 3m is 3 minutes, of which the start takes 2m, and then everything is deleted; write duration: 90d for 3 months [RUN_SHORT]",
    ],
    [
      "a life of minutes",
      { cpu: 2, memory: 4, maxLifetime: "1m", duration: "1m" },
      "VmTemplate",
      "maxLifetime 1m is 1 minute, of which the start takes 2m, and then everything is deleted; write maxLifetime: 30d for 1 month [RUN_SHORT]",
    ],
    [
      "a country in place of a state",
      { cpu: 2, memory: 4, origin: "aws/us-west-1", dataResidency: ["CA"] },
      "VmTemplate",
      "dataResidency: CA is Canada; states of the US cannot be named: write US if one is meant, or name a region, such as schedulingLocation: us-west-1 [AREA_OF_COUNTRY]",
    ],
    [
      "the fastest disk of AWS",
      { cpu: 2, memory: 4, provider: "aws", disks: [{ name: "data", sizeGiB: 400, type: "premium" }] },
      "VmTemplate",
      "a premium disk is io2 on aws, whose provisioned IOPS are paid for next to its size: data 16000; write type: balanced for gp3 [DISK_IOPS]",
    ],
    [
      "pools without a node for the autoscaler",
      { ...pool({ min: 0, max: 10 }), provider: "aws" },
      "KaasCluster",
      "a begins with 0 nodes, and an autoscaler, which is yours to install, needs a node: write min: 1 or more for the pool [POOLS_EMPTY]",
    ],
    [
      "addresses of others",
      { cpu: 2, memory: 4, network: { cidr: "8.8.0.0/16" } },
      "VmTemplate",
      "spec.network.cidr 8.8.0.0/16 has addresses of others in the internet, which then cannot be reached from there; write a private network, e.g. cidr: 10.0.0.0/16 [ADM_CIDR_PUBLIC]",
    ],
    [
      "addresses of others for Pods",
      { ...pool({}), network: { podCidr: "11.0.0.0/14", nodeCidr: "100.64.0.0/16" } },
      "KaasCluster",
      "spec.network.podCidr 11.0.0.0/14 has addresses of others in the internet, which then cannot be reached from there; write a private network, e.g. podCidr: 10.64.0.0/14 [ADM_CIDR_PUBLIC]",
    ],
    [
      "taints on every pool",
      pool({ taints: [{ key: "gpu", effect: "NoSchedule" }] }),
      "KaasCluster",
      "spec.nodePools: every pool has a taint that keeps the cluster's own services away, such as its DNS, so they may find no node; add a pool without taints, or write effect: PreferNoSchedule for one of them [ADM_POOLS_TAINTED]",
    ],
    [
      "a start in another year",
      { cpu: 2, memory: 4, duration: "1h", schedulingTime: "2099-01-01T06:00:00+01:00" },
      "VmTemplate",
      "days ahead; if another year is meant, write schedulingTime: 20",
    ],
    [
      "a cost of waiting without a duration",
      { cpu: 2, memory: 4, waitingCostPercent: 5 },
      "VmTemplate",
      "spec.waitingCostPercent 5 has no effect: an object without a duration starts immediately; write spec.duration as well, or omit waitingCostPercent [ADM_WAITING_COST_UNUSED]",
    ],
    [
      "a cost of waiting without an end of it",
      { cpu: 2, memory: 4, duration: "1h", waitingCostPercent: 5 },
      "VmTemplate",
      "an object without a deadline and maxWait starts immediately; write a deadline or maxWait as well, or omit waitingCostPercent [ADM_WAITING_COST_UNUSED]",
    ],
    [
      "an image of another system",
      { cpu: 2, memory: 4, provider: "azure", os: "debian-12", image: "Canonical:ubuntu-24_04-lts:server:latest" },
      "VmTemplate",
      "spec.os debian-12 is not the system of spec.image Canonical:ubuntu-24_04-lts:server:latest, which the machine gets; write os: ubuntu-24.04, or remove image [ADM_IMAGE_OS]",
    ],
    [
      "ports without a public address",
      { cpu: 2, memory: 4, ports: [{ port: 443 }] },
      "VmTemplate",
      "spec.ports are open, but the machine has no public address; add network: {publicIP: true}, or connect from its own network [ADM_PORTS_PRIVATE]",
    ],
    [
      "SSH without a key",
      { cpu: 2, memory: 4, network: { publicIP: true }, ports: [{ port: 20, toPort: 25 }] },
      "VmTemplate",
      "spec.ports opens 22, but no user can log in; add sshPublicKey, or create a user with userData [ADM_NO_LOGIN]",
    ],
    [
      "user data without its first line",
      { cpu: 2, memory: 4, userData: "packages: [nginx]\n" },
      "VmTemplate",
      "spec.userData begins with no line that cloud-init knows, so that nothing of it runs; write the line #cloud-config before it [ADM_USER_DATA]",
    ],
    [
      "a command as user data",
      { cpu: 2, memory: 4, userData: "apt-get update\n" },
      "VmTemplate",
      "begin it with #cloud-config for a configuration, or with #!/bin/sh for a script [ADM_USER_DATA]",
    ],
    [
      "a script whose first line YAML reads as a comment",
      { cpu: 2, memory: 4, userData: "apt-get update apt-get install -y nginx" },
      "VmTemplate",
      "put | after userData:, and below it, indented, the script with #!/bin/sh as its first line: without |, # begins a comment in YAML, and lines are joined [ADM_USER_DATA]",
    ],
    [
      "a function of Terraform as user data",
      { cpu: 2, memory: 4, userData: 'file("init.sh")' },
      "VmTemplate",
      "write the content of the file, as a text after | [ADM_USER_DATA]",
    ],
    [
      "a configuration whose lines were joined",
      { cpu: 2, memory: 4, userData: "#cloud-config packages:\n  - nginx\n" },
      "VmTemplate",
      "spec.userData has more than its first line should have, so that it does not run as meant; write it after | in place of >, which joins lines [ADM_USER_DATA]",
    ],
    [
      "a script whose lines were joined",
      { cpu: 2, memory: 4, userData: "#!/bin/sh apt-get update\n" },
      "VmTemplate",
      "write it after | in place of >, which joins lines [ADM_USER_DATA]",
    ],
    [
      "user data in base64",
      { cpu: 2, memory: 4, userData: "I2Nsb3VkLWNvbmZpZwpwYWNrYWdlczogW25naW54XQo=" },
      "VmTemplate",
      "write it as plain text, not as base64 [ADM_USER_DATA]",
    ],
    [
      "more security groups than EC2 takes, with the machine's own",
      { ...onGroups(5), ports: [{ port: 443 }] },
      "VmTemplate",
      "spec.network.existing.securityGroups has 5 groups, and spec.ports adds the machine's own",
    ],
    [
      "a number of nodes that GKE's zones do not divide",
      onGke({ count: 4 }),
      "KaasCluster",
      "spec.nodePools[0]: pool a can begin with 3 nodes, not 4: gcp has the same number of nodes in each of its 3 zones, and adds others when pods wait for them; write count: 6 for 6 nodes from the start [ADM_POOL_SPREAD]",
    ],
    [
      "a number of nodes that the two zones with their type do not divide",
      onZones("g2-standard-4", "europe-west1", { count: 3 }),
      "KaasCluster",
      "spec.nodePools[0]: pool a can begin with 2 nodes, not 3: gcp has the same number of nodes in each of its 2 zones, and adds others when pods wait for them; write count: 4 for 4 nodes from the start [ADM_POOL_SPREAD]",
    ],
    [
      "a highly available pool of whose type one zone has machines",
      onZones("c2d-standard-4", "asia-northeast1", { count: 1 }),
      "KaasCluster",
      "spec.nodePools[0]: pool a is not highly available: of the zones of gcp/asia-northeast1, only asia-northeast1-b has its machine type c2d-standard-4; name another type",
    ],
    ["the least of a range that is too narrow", onGke({ min: 4, max: 5 }), "KaasCluster", "with 3 nodes, not 4"],
    ["empty user data", { cpu: 2, memory: 4, userData: " " }, "VmTemplate", "spec.userData is empty; remove it"],
    ["a cluster's memory in MiB", pool({ cpu: 1, memory: 2048 }), "KaasCluster", "spec.nodePools[0].memory 2048 means"],
    ["GPUs, whose energy is not counted", pool({ gpu: 1 }), "KaasCluster", "[ADM_GPU_FIGURES]"],
  ])("%s", (_name, spec, kind, text) => {
    const object = { ...vm(spec), kind };
    const told = decideAlone({ ...context(policy), kind, object, operation: "CREATE" }).warnings.map(
      ({ code, message }) => `${message} [${code}]`,
    );
    expect(told.join("\n")).toContain(text);
    expect(warnings(spec, kind).join("\n")).toContain(text);
  });

  it.each<[string, Fields, Kind]>([
    [
      "a private network and a cost of waiting",
      { cpu: 2, memory: 4, network: { cidr: "172.31.0.0/16" }, duration: "1h", maxWait: "1d", waitingCostPercent: 5 },
      "VmTemplate",
    ],
    ["a start within a year", { cpu: 2, memory: 4, schedulingTime: "2027-10-01T00:00:00Z" }, "VmTemplate"],
    [
      "a pool whose taint only prefers others",
      pool({ taints: [{ key: "a", effect: "PreferNoSchedule" }] }),
      "KaasCluster",
    ],
    ["a large machine of a usual shape", { cpu: 64, memory: 2048 }, "VmTemplate"],
    ["a small one", { cpu: 1, memory: 128 }, "VmTemplate"],
    [
      "ports with an address and a key",
      { cpu: 2, memory: 4, network: { publicIP: true }, ports: [{ port: 443 }] },
      "VmTemplate",
    ],
    ["as many security groups as EC2 takes", { ...onGroups(4), ports: [{ port: 443 }] }, "VmTemplate"],
    ["five without ports", onGroups(5), "VmTemplate"],
    ["as many rules as EC2 takes", { ...onGroups(1), ports: rules(30) }, "VmTemplate"],
    ["more rules on Azure", { ...PUBLIC, provider: "azure", ports: rules(31) }, "VmTemplate"],
    ["numbers of nodes that GKE's zones divide", onGke({ count: 6 }), "KaasCluster"],
    ["a range with room for each zone", onGke({ min: 4, max: 6 }), "KaasCluster"],
    ["nodes in one zone", { ...onGke({ count: 4 }), highAvailability: false }, "KaasCluster"],
    ["nodes that EKS spreads", { ...onGke({ count: 4 }), provider: "aws" }, "KaasCluster"],
    ["a script", { cpu: 2, memory: 4, userData: "#!/bin/sh\ntrue" }, "VmTemplate"],
    ["a script with an option", { cpu: 2, memory: 4, userData: "#!/usr/bin/env -S bash -e\ntrue" }, "VmTemplate"],
    ["cloud-config with a comment", { cpu: 2, memory: 4, userData: "#cloud-config # nginx\n{}" }, "VmTemplate"],
    ["cloud-config after spaces", { cpu: 2, memory: 4, userData: "\n#cloud-config\n{}" }, "VmTemplate"],
    ["a template of cloud-config", { cpu: 2, memory: 4, userData: "## template: jinja\n" }, "VmTemplate"],
    ["a MIME message", { cpu: 2, memory: 4, userData: "Content-Type: multipart/mixed" }, "VmTemplate"],
    ["an ordinary pool", pool({}), "KaasCluster"],
  ])("not %s", (_name, spec, kind) => {
    expect(warnings(spec, kind).join("\n")).not.toMatch(
      /ADM_(CIDR_PUBLIC|POOLS_TAINTED|START_FAR|WAITING_COST_UNUSED|MEMORY_LARGE|SECURITY_GROUPS|SECURITY_RULES|POOL_SPREAD|PORTS_PRIVATE|NO_LOGIN|GPU_FIGURES|USER_DATA)/,
    );
  });

  it("is told once, and not again with each update", () => {
    const object = vm({ cpu: 2, memory: 8192 });
    const stored = patched(object, admit(create(object), context(policy)));
    const tagged = { ...stored, spec: { ...stored.spec, tags: { team: "a" } } };
    const outcome = admit(update(stored, tagged), context(policy));
    expect(outcome.allowed ? outcome.warnings.join() : outcome.message).not.toContain("ADM_MEMORY_LARGE");
  });
});

describe("more rules than a security group of EC2 has", () => {
  const answer = (spec: Fields) =>
    decideAlone({ ...context(policy), kind: "VmTemplate", object: vm(spec), operation: "CREATE" });
  const machine = { cpu: 2, memory: 4, ports: rules(31) };

  it("are denied on AWS, with their number", () => {
    const { allowed, denials } = answer({ ...machine, provider: "aws" });
    expect(allowed).toBe(false);
    expect(denials.map(({ code, message }) => `${message} [${code}]`)).toEqual([
      expect.stringMatching(
        /^spec\.ports gives 62 rules, .*EC2 allows 60 in a security group.*\[ADM_SECURITY_RULES\]$/,
      ),
    ]);
    expect(answer({ ...machine, provider: "aws", ports: rules(30) }).allowed).toBe(true);
  });

  it("leave the places of other providers", () => {
    const { allowed, placement } = answer(machine);
    expect(allowed).toBe(true);
    expect(placement?.provider).not.toBe("aws");
  });
});

/** Whether a warning is given. */
const warns = (code: string, spec: Fields, kind: Kind = "VmTemplate"): boolean =>
  warnings(spec, kind).some((text) => text.includes(code));

describe("user data of a machine without a public address", () => {
  const small = { cpu: 2, memory: 4 };
  const ubuntu = { ...small, os: "ubuntu-24.04", userData: "#!/bin/sh\napt-get install -y nginx\n" };
  const existing = { subnet: "subnet-0123456789abcdef0" };

  it.each([
    ["AWS", { ...ubuntu, provider: "aws" }, true],
    ["Google Cloud", { ...ubuntu, provider: "gcp" }, true],
    ["Azure, which lets it out", { ...ubuntu, provider: "azure" }, false],
    ["AWS, with an address", { ...ubuntu, provider: "aws", network: { publicIP: true } }, false],
    [
      "AWS, in an existing network",
      { ...ubuntu, provider: "aws", schedulingLocation: "eu-west-1", network: { existing } },
      false,
    ],
    ["AWS, without user data", { ...small, provider: "aws" }, false],
  ])("is warned of, where it can download nothing: %s", (_where, spec, expected) => {
    expect(warns("ADM_NO_INTERNET", spec)).toBe(expected);
  });
});

describe("what someone has to allow once a new cluster exists", () => {
  it.each([
    ["ADM_AKS_ROLE", "azure", true],
    ["ADM_AKS_ROLE", "aws", false],
    ["ADM_AKS_ROLE", "gcp", false],
    ["ADM_EKS_ACCESS", "aws", true],
    ["ADM_EKS_ACCESS", "azure", false],
    ["ADM_EKS_ACCESS", "gcp", false],
  ])("is named: %s on %s: %s", (code, provider, expected) => {
    expect(warns(code, { ...pool({}), provider }, "KaasCluster")).toBe(expected);
  });
});

describe("addresses for the pods of a cluster", () => {
  it.each([
    ["aws", "192.168.0.0/24", 4, false],
    ["aws", "192.168.0.0/24", 5, true],
    ["aws", "10.0.0.0/16", 450, false],
    ["azure", "192.168.0.0/24", 7, false],
  ])("are few on %s, in %s for %d nodes: %s", (provider, nodeCidr, count, expected) => {
    const spec = { ...pool({ count }), provider, network: { nodeCidr } };
    expect(warns("ADM_POD_ADDRESSES", spec, "KaasCluster")).toBe(expected);
  });

  it("count those of the default network", () => {
    const nodePools = Array.from({ length: 5 }, (_, index) => ({
      name: `p${String(index)}`,
      cpu: 2,
      memory: 8,
      count: 400,
    }));
    expect(warns("ADM_POD_ADDRESSES", { provider: "aws", nodePools }, "KaasCluster")).toBe(true);
  });
});

describe("what nobody can act on", () => {
  it("stands in the decision, and not on the terminal", () => {
    const object = vm({ cpu: 2, memory: 4, origin: "azure/italynorth", maxLatency: 40, optimizeFor: "carbon" });
    const outcome = admit(create(object), context(policy));
    const { warnings: decided = [], degraded = [] } = outcome.decision ?? {};
    expect([...decided, ...degraded].map(({ code }) => code)).toContain("POL_LATENCY_ESTIMATED");
    expect(outcome.allowed ? outcome.warnings.join() : "").not.toContain("POL_LATENCY_ESTIMATED");
    expect(outcome.allowed ? outcome.warnings.length : 0).toBeGreaterThan(0);
  });
});

describe("valid input that is meant", () => {
  it.each<[string, Fields, Kind, string]>([
    ["a short run that stays", { cpu: 2, memory: 4, duration: "3m", whenDone: "keep" }, "VmTemplate", "RUN_SHORT"],
    ["many vCPUs that a machine has", { cpu: 128, memory: 256 }, "VmTemplate", "ADM_CPU_LARGE"],
    ["half an hour", { cpu: 2, memory: 4, duration: "30m", whenDone: "delete" }, "VmTemplate", "RUN_SHORT"],
    ["Canada for users in Europe", { cpu: 2, memory: 4, dataResidency: ["CA"], maxLatency: 300 }, "VmTemplate", "AREA"],
    [
      "Canada and the US",
      { cpu: 2, memory: 4, origin: "aws/us-west-1", dataResidency: ["CA", "US"] },
      "VmTemplate",
      "AREA",
    ],
    ["a pool with a node", { ...pool({ min: 1, max: 10 }), provider: "aws" }, "KaasCluster", "POOLS_EMPTY"],
    ["versions of another provider", { ...pool({}), kubernetesVersion: "1.34" }, "KaasCluster", "azure supports"],
  ])("gets no warning: %s", (_is, spec, kind, text) => {
    expect(warnings(spec, kind).join("\n")).not.toContain(text);
  });
});
