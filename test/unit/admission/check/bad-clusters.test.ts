import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import type { Decision } from "../../../../src/model/decision.ts";
import { loadBundle } from "../../../../src/policy/load-bundle.ts";
import type { LoadedBundle } from "../../../../src/policy/loaded-bundle.ts";
import { context, vm } from "../../../support/admission.ts";
import { policyFile } from "../../../support/load-policy.ts";
import { changedBundle } from "../../../support/bundles/watched-bundle.ts";

type Fields = Record<string, unknown>;

let shipped: LoadedBundle;
let withContract: LoadedBundle;
beforeAll(async () => {
  shipped = await loadBundle(await readFile(await policyFile()), "shipped");
  const changed = await changedBundle((data) => {
    data.landfall["settings"] = { ...data.landfall["settings"], elemento: { contracted: ["ionos", "gigas"] } };
  });
  withContract = await loadBundle(changed, "with a contract");
});

const ask = (spec: Fields, policy = shipped, namespace = context(policy).namespace): Decision =>
  decideAlone({
    ...context(policy),
    namespace,
    kind: "KaasCluster",
    object: { ...vm(spec), kind: "KaasCluster" },
    operation: "CREATE",
  });

const pool = (changes: Fields = {}): Fields => ({ name: "a", cpu: 2, memory: 4, ...changes });
const pools = (count: number): Fields[] =>
  Array.from({ length: count }, (_, index) => pool({ name: `p${String(index)}` }));
const small = pool({ memory: 2 });

/** What the object says, the code, and what the denial has to name for a person to find the mistake. */
const LIST: [string, Fields, string, string][] = [
  [
    "a pool with max below min",
    { nodePools: [pool({ min: 4, max: 2 })] },
    "ADM_POOL_SIZE",
    "pool a has max 2 below min 4",
  ],
  [
    "a pool with count, and max below min",
    { nodePools: [pool({ count: 1, min: 5, max: 3 })] },
    "ADM_POOL_SIZE",
    "write min: 3 and max: 5",
  ],
  ["a pool with count and max", { nodePools: [pool({ count: 1, max: 2 })] }, "ADM_POOL_SIZE", "pool a"],
  ["a pool with min and no max", { nodePools: [pool({ min: 4 })] }, "ADM_POOL_SIZE", "no max"],
  ["two pools of one name", { nodePools: [pool(), pool()] }, "ADM_POOL_TWICE", "spec.nodePools[1].name"],
  [
    "two taints of one key and effect",
    {
      nodePools: [
        pool({
          taints: [
            { key: "team", value: "x", effect: "NoSchedule" },
            { key: "team", value: "y", effect: "NoExecute" },
            { key: "team", value: "y", effect: "NoSchedule" },
          ],
        }),
      ],
    },
    "ADM_FIELDS",
    "more than one taint team with the effect NoSchedule",
  ],
  [
    "labels that AKS keeps for itself",
    { provider: "azure", nodePools: [pool({ labels: { "kubernetes.azure.com/mode": "user" } })] },
    "POL_FEATURE",
    "kubernetes.azure.com/",
  ],
  [
    "taints that AKS keeps for itself, of any pool",
    {
      provider: "azure",
      nodePools: [
        pool(),
        pool({
          name: "b",
          taints: [{ key: "kubernetes.azure.com/scalesetpriority", value: "spot", effect: "NoSchedule" }],
        }),
      ],
    },
    "POL_FEATURE",
    "taints that begin with kubernetes.azure.com/",
  ],
  ...[
    ["azure", "agentpool", "a", "agentpool"],
    ["gcp", "cloud.google.com/gke-nodepool", "a", "cloud.google.com/gke-nodepool"],
    ["aws", "eks.amazonaws.com/nodegroup", "a", "eks.amazonaws.com/"],
    ["aws", "team", "", "1 to 63 characters"],
  ].map(([provider = "", key = "", value = "", why = ""]): [string, Fields, string, string] => [
    `the label ${key}: "${value}" that nodes of ${provider} cannot have`,
    { provider, nodePools: [pool({ labels: { [key]: value } })] },
    "POL_FEATURE",
    why,
  ]),
  [
    "tags that Azure keeps for itself",
    { provider: "azure", tags: { "azure-team": "a" }, nodePools: [pool()] },
    "POL_FEATURE",
    "azure, microsoft or windows",
  ],
  [
    "a version that no provider has",
    { kubernetesVersion: "1.20", nodePools: [pool()] },
    "POL_KUBERNETES_VERSION",
    "1.20",
  ],
  [
    "a version that this provider does not have",
    { provider: "elemento", kubernetesVersion: "1.35", nodePools: [small] },
    "POL_KUBERNETES_VERSION",
    "1.35: not in the bundle's list of 2026-04 for elemento",
  ],
  [
    "pods in the nodes' default network",
    { network: { podCidr: "10.0.0.0/14" }, nodePools: [pool()] },
    "ADM_CIDR_OVERLAP",
    "10.0.0.0/16 (the default)",
  ],
  [
    "nodes in the pods' default network, where the provider is open",
    { network: { nodeCidr: "10.64.0.0/16" }, nodePools: [pool()] },
    "ADM_CIDR_OVERLAP",
    "10.64.0.0/14 (the default)",
  ],
  [
    "services within the pods' network",
    { network: { podCidr: "10.128.0.0/14", serviceCidr: "10.129.0.0/16" }, nodePools: [pool()] },
    "ADM_CIDR_OVERLAP",
    "10.129.0.0/16",
  ],
  [
    "a network too small for the nodes",
    { network: { nodeCidr: "192.168.0.0/26" }, nodePools: [pool({ count: 100 })] },
    "ADM_CIDR_SMALL",
    "too small for 100 nodes",
  ],
  [
    "a network of AWS whose two quarters are too small for the nodes",
    { provider: "aws", network: { nodeCidr: "192.168.0.0/24" }, nodePools: [pool({ count: 107 })] },
    "ADM_CIDR_SMALL",
    "too small for 107 nodes",
  ],
  [
    "a network of AWS too small for nodes in the two zones that the object names",
    {
      provider: "aws",
      schedulingLocation: "eu-west-1",
      zones: ["eu-west-1a", "eu-west-1b"],
      network: { nodeCidr: "192.168.0.0/26" },
      nodePools: [pool({ count: 11 })],
    },
    "ADM_CIDR_SMALL",
    "too small for 11 nodes",
  ],
  [
    "a network of Azure without room for the nodes that an upgrade adds to each pool",
    {
      provider: "azure",
      network: { nodeCidr: "192.168.0.0/26" },
      nodePools: [pool({ count: 50 }), { ...pool(), name: "b", max: 4 }],
    },
    "ADM_CIDR_SMALL",
    "too small for the nodes that an upgrade adds to each pool",
  ],
  [
    "a network of pods on Google Cloud without room for the node that an upgrade adds",
    { provider: "gcp", network: { podCidr: "10.128.0.0/20" }, nodePools: [pool({ count: 16 })] },
    "ADM_CIDR_SMALL",
    "too small for the nodes that an upgrade adds to each pool",
  ],
  [
    "a network too small for the pods of the nodes",
    { provider: "gcp", network: { podCidr: "10.128.0.0/22" }, nodePools: [pool({ count: 100 })] },
    "ADM_CIDR_SMALL",
    "spec.network.podCidr",
  ],
  [
    "a network that is none",
    { network: { nodeCidr: "300.0.0.0/16" }, nodePools: [pool()] },
    "ADM_FIELDS",
    "300.0.0.0/16",
  ],
  [
    "a prefix that is too long for IPv4",
    { network: { nodeCidr: "10.0.0.0/64" }, nodePools: [pool()] },
    "ADM_FIELDS",
    "10.0.0.0/64",
  ],
  ["more pools than the provider takes", { provider: "aws", nodePools: pools(31) }, "POL_POOLS", "aws allows 30 pools"],
  ["more pools than anybody takes", { nodePools: pools(101) }, "ADM_SCHEMA", "spec.nodePools"],
  [
    "more nodes in a pool than the provider takes",
    { provider: "elemento", nodePools: [pool({ memory: 2, count: 101 })] },
    "POL_POOL_NODES",
    "100 nodes",
  ],
  [
    "a pool that may be empty where the provider needs a node",
    { provider: "elemento", nodePools: [pool({ memory: 2, min: 0, max: 3 })] },
    "POL_POOL_EMPTY",
    "pool a",
  ],
  [
    "a gpu where none is sold",
    { provider: "elemento", nodePools: [pool({ memory: 2, gpu: 1 })] },
    "POL_GPU",
    "pool a requests 1 GPU",
  ],
  [
    "a gpu in a region that sells none of the kind",
    { schedulingLocation: "mx-central-1", nodePools: [pool({ gpu: 8 })] },
    "POL_GPU",
    "pool a requests 8 GPU",
  ],
  [
    "an unknown flavour",
    { provider: "elemento", poolInstanceTypes: { a: "krypton" }, nodePools: [small] },
    "POL_INSTANCE_TYPE",
    "krypton",
  ],
  [
    "a flavour that is too small",
    { provider: "elemento", poolInstanceTypes: { a: "helium" }, nodePools: [small] },
    "POL_INSTANCE_TYPE",
    "helium",
  ],
  ["a type for one pool alone", { poolInstanceTypes: { b: "neon" }, nodePools: [small] }, "ADM_POOL_TYPES", "pool a"],
  [
    "a zone that Elemento does not have",
    { provider: "elemento", schedulingLocation: "fsn1", nodePools: [small] },
    "POL_UNKNOWN_REGION",
    "fsn1 is not a region of elemento",
  ],
];

describe("an invalid cluster is denied with a code, the field and a remedy", () => {
  it.each(LIST)("%s", (_name, spec, code, words) => {
    const { allowed, denials } = ask(spec);
    expect(allowed).toBe(false);
    const denial = denials.find((one) => one.code === code);
    expect(denial, JSON.stringify(denials)).toBeDefined();
    expect(`${denial?.field ?? ""} ${denial?.message ?? ""}; ${denial?.remedy ?? ""}`).toContain(words);
    for (const { remedy } of denials) {
      expect(remedy.length).toBeGreaterThan(10);
      expect(remedy).not.toMatch(/\{\w+\}|undefined|null/);
    }
  });
});

describe("a cluster whose nodes are where pods are by default", () => {
  const network = { nodeCidr: "10.64.0.0/16" };

  it("is allowed on AWS, where pods have addresses of the nodes", () => {
    expect(ask({ provider: "aws", network, nodePools: [pool()] }).denials).toEqual([]);
    const { denials } = ask({ provider: "azure", network, nodePools: [pool()] });
    expect(denials.map(({ code }) => code)).toContain("ADM_CIDR_OVERLAP");
  });
});

/** What is denied, and the assignment that its remedy names. */
const NETWORKS: [string, Fields, string][] = [
  [
    "services in a VPC",
    { provider: "aws", network: { nodeCidr: "10.0.0.0/16", serviceCidr: "10.0.0.0/20" } },
    "serviceCidr: 172.20.0.0/20",
  ],
  [
    "services in a small VPC",
    { provider: "aws", network: { nodeCidr: "10.0.0.0/22", serviceCidr: "10.0.0.0/24" } },
    "serviceCidr: 172.20.0.0/24",
  ],
  [
    "services in a VPC too wide",
    { provider: "aws", network: { nodeCidr: "10.0.0.0/12", serviceCidr: "10.0.0.0/20" } },
    "nodeCidr: 10.64.0.0/16",
  ],
  [
    "services in the nodes' network on Azure",
    { provider: "azure", network: { nodeCidr: "10.0.0.0/14", serviceCidr: "10.0.0.0/20" } },
    "serviceCidr: 172.20.0.0/20",
  ],
  [
    "services in a wide network on Azure",
    { provider: "azure", network: { nodeCidr: "172.16.0.0/12", serviceCidr: "172.20.0.0/16" } },
    "nodeCidr: 10.128.0.0/12",
  ],
  ...[
    ["172.0.0.0/11", "10.128.0.0/12"],
    ["172.20.0.0/25", "172.20.0.0/24"],
    ["100.64.0.0/16", "172.20.0.0/16"],
  ].map(([serviceCidr = "", other = ""]): [string, Fields, string] => [
    `services that EKS refuses, ${serviceCidr}`,
    { provider: "aws", network: { serviceCidr } },
    `serviceCidr: ${other}`,
  ]),
  ...["azure", "gcp", undefined].map((provider): [string, Fields, string] => [
    `a range of services too wide, at ${String(provider)}`,
    { ...(provider === undefined ? {} : { provider }), network: { serviceCidr: "172.0.0.0/11" } },
    "serviceCidr: 172.20.0.0/16",
  ]),
  [
    "services that AKS keeps for itself",
    { provider: "azure", network: { serviceCidr: "172.31.0.0/16" } },
    "serviceCidr: 172.20.0.0/16",
  ],
  [
    "a network of pods around what AKS keeps for itself",
    { provider: "azure", network: { podCidr: "172.16.0.0/12", serviceCidr: "10.1.0.0/16", nodeCidr: "10.0.0.0/16" } },
    "podCidr: 10.64.0.0/14",
  ],
  ["an address of Azure", { network: { nodeCidr: "168.63.128.0/20" } }, "nodeCidr: 10.0.0.0/16"],
  ["a link-local network", { provider: "aws", network: { nodeCidr: "169.254.0.0/16" } }, "nodeCidr: 10.0.0.0/16"],
  ["a VPC too wide", { provider: "aws", network: { nodeCidr: "10.64.0.0/14" } }, "nodeCidr: 10.64.0.0/16"],
  [
    "a network that a VPC cannot have, and a region of AWS",
    { network: { nodeCidr: "10.16.0.0/12" }, schedulingLocation: "eu-west-1" },
    "nodeCidr: 10.16.0.0/16",
  ],
  [
    "pods in the nodes' network",
    { network: { nodeCidr: "10.0.0.0/20", podCidr: "10.0.0.0/14" } },
    "podCidr: 10.64.0.0/14",
  ],
];

describe("the network that a denial names", () => {
  it.each(NETWORKS)("is taken: %s", (_is, spec, write) => {
    const nodePools = [pool()];
    const { denials } = ask({ ...spec, nodePools });
    expect(denials[0]?.remedy).toContain(`, e.g. ${write}`);
    const [field = "", cidr] = write.split(": ");
    const network = { ...(spec["network"] as Fields), [field]: cidr };
    expect(ask({ ...spec, network, nodePools }).denials).toEqual([]);
  });

  it("may be a range of services that EKS refuses for a cluster of another provider, and leaves out AWS for one without", () => {
    const network = { serviceCidr: "172.20.0.0/25" };
    const { denials, placement } = ask({ network, nodePools: [pool()] });
    expect(denials).toEqual([]);
    expect(placement?.provider).not.toBe("aws");
    expect(ask({ provider: "azure", network, nodePools: [pool()] }).denials).toEqual([]);
    expect(ask({ provider: "aws", network, nodePools: [pool()] }).denials[0]?.message).toContain(
      "EKS takes a range of services of /12 to /24 inside 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16",
    );
  });

  it("may be wider than a VPC for a cluster of another provider, and leaves out AWS for one without", () => {
    const spec = { network: { nodeCidr: "10.16.0.0/12" }, nodePools: [pool()] };
    expect(ask({ ...spec, provider: "azure" }).denials).toEqual([]);
    const { denials, placement, candidates } = ask(spec);
    expect(denials).toEqual([]);
    expect(placement?.provider).not.toBe("aws");
    expect(candidates.best.map(({ place }) => place).join()).not.toContain("aws/");
    expect(candidates.rejected["vpc"]).toContain("aws/eu-west-1");
    expect(candidates.funnel.find(({ rule }) => rule === "vpc")?.text).toMatch(/^network of the nodes: \d+ remain$/);
  });

  it("may be smaller than subnets of AWS for a cluster of another provider, and leaves out AWS for one without", () => {
    const spec = { network: { nodeCidr: "192.168.0.0/24" }, nodePools: [pool({ count: 107 })] };
    expect(ask({ ...spec, provider: "azure" }).denials).toEqual([]);
    const { denials, placement, candidates } = ask(spec);
    expect(denials).toEqual([]);
    expect(placement?.provider).not.toBe("aws");
    expect(candidates.rejected["vpc"]).toContain("aws/eu-west-1");
  });

  it("has room on AWS for the nodes that fit into the quarters of its zones", () => {
    const spec = { provider: "aws", network: { nodeCidr: "192.168.0.0/24" } };
    expect(ask({ ...spec, nodePools: [pool({ count: 102 })] }).denials).toEqual([]);
    expect(ask({ ...spec, highAvailability: true, nodePools: [pool({ count: 107 })] }).denials).toEqual([]);
    expect(ask({ ...spec, nodePools: [pool({ count: 103 })] }).denials[0]?.message).toContain(
      "too small for the nodes that an upgrade adds to each pool",
    );
  });

  it("has room for the nodes that an upgrade adds, none of them to a pool that stays empty", () => {
    const spec = { provider: "azure", network: { nodeCidr: "192.168.0.0/26" } };
    expect(ask({ ...spec, nodePools: [pool({ count: 53 })] }).denials).toEqual([]);
    const empty = { ...pool({ count: 0 }), name: "empty" };
    expect(ask({ ...spec, nodePools: [pool({ count: 53 }), empty] }).denials).toEqual([]);
    const pods = { provider: "gcp", network: { podCidr: "10.128.0.0/20" }, nodePools: [pool({ count: 15 })] };
    expect(ask(pods).denials).toEqual([]);
  });

  it("lacks room for an upgrade in the same words for fewer nodes, so that an installed cluster can shrink", () => {
    const of = (count: number): Decision =>
      ask({ provider: "azure", network: { nodeCidr: "192.168.0.0/26" }, nodePools: [pool({ count })] });
    expect(of(58).denials).toEqual(of(59).denials);
    expect(of(60).denials[0]?.message).toContain("too small for 60 nodes");
  });

  it("is denied in a namespace that allows AWS alone, and not in one of Azure", () => {
    const spec = { network: { nodeCidr: "10.16.0.0/12" }, nodePools: [pool()] };
    const within = (providers: string): Decision =>
      ask(spec, shipped, { name: "demo", labels: {}, annotations: { "landfall.dev/providers": providers } });
    expect(within("azure").allowed).toBe(true);
    expect(within("aws").denials.map(({ code, field, remedy }) => [code, field, remedy])).toEqual([
      ["ADM_FIELDS", "spec.network.nodeCidr", "write a prefix length from 16 to 26, e.g. nodeCidr: 10.16.0.0/16"],
    ]);
  });
});

describe("Elemento's zones without a contract", () => {
  const paris = { provider: "elemento", schedulingLocation: "ovh-fr-paris", nodePools: [small] };

  it("are denied if the object names one, and the denial names the zones with a contract", () => {
    expect(ask(paris).allowed).toBe(true);
    const { allowed, denials } = ask(paris, withContract);
    expect(allowed).toBe(false);
    expect(denials.map(({ code, field, actual }) => [code, field, actual])).toEqual([
      ["POL_ELEMENTO_ZONE", "spec.schedulingLocation", "elemento/ovh-fr-paris"],
    ]);
    expect(denials[0]?.message).toContain("zones with a contract: ionos, gigas");
    // What is offered instead does pass.
    expect(denials[0]?.remedy).toMatch(/\(elemento\/(ionos|gigas)-/);
  });

  it("are never chosen", () => {
    const { placement, candidates } = ask({ provider: "elemento", nodePools: [small] }, withContract);
    expect(placement?.region).toMatch(/^(ionos|gigas)-/);
    expect(candidates.best.every(({ place }) => /^elemento\/(ionos|gigas)-/.test(place))).toBe(true);
    expect(candidates.rejected["region"]).toContain("elemento/ovh-fr-paris");
    expect(ask({ provider: "aws", nodePools: [pool()] }, withContract).allowed).toBe(true);
  });
});
