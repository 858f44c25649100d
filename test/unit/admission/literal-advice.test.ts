import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { decideAlone } from "../../../src/admission/decide/decide.ts";
import type { Decision } from "../../../src/model/decision.ts";
import { KUBERNETES_YAML } from "../../../src/model/formats/kubernetes-yaml.ts";
import type { Kind } from "../../../src/model/names.ts";
import { context, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

const policy = await loadPolicy();

const decided = (kind: Kind, write: string): Decision =>
  decideAlone({
    ...context(policy),
    kind,
    object: { ...vm(parse(write, KUBERNETES_YAML) as Record<string, unknown>), kind },
    operation: "CREATE",
  });

/** What a newcomer wrote, and the spec that the answer asks for when each of its sentences is followed. */
const OBJECTS: readonly (readonly [is: string, kind: Kind, wrote: string, follows: string, says: readonly string[]])[] =
  [
    [
      "a pool in the words of a Deployment",
      "KaasCluster",
      "{provider: gcp, nodePools: {web: {replicaCount: 2, resources: {requests: {cpu: 500m, memory: 512Mi}}, autoscaling: {enabled: true, minReplicas: 2, maxReplicas: 5}, nodeSelector: {disktype: ssd}}}}",
      "{provider: gcp, nodePools: [{name: web, min: 2, max: 5, cpu: 1, memory: 1, labels: {disktype: ssd}}]}",
      ["nodePools: [{name: web, min: 2, max: 5, cpu: 1, memory: 1, labels: {disktype: ssd}}]"],
    ],
    [
      "a model of GPUs",
      "KaasCluster",
      "{provider: aws, nodePools: [{name: base, count: 2, cpu: 2, memory: 8}, {name: gpu_pool, min: 0, max: 4, cpu: 8, memory: 32, gpu: nvidia-tesla-t4, labels: {node-role.kubernetes.io/gpu: true}}]}",
      "{provider: aws, poolInstanceTypes: {base: m7i.large, gpupool: g4dn.2xlarge}, nodePools: [{name: base, count: 2, cpu: 2, memory: 8}, {name: gpupool, min: 0, max: 4, cpu: 8, memory: 32, gpu: 1, labels: {gpu: 'true'}}]}",
      ["name: gpupool", "gpu: 1", "poolInstanceTypes: {base: m7i.large, gpupool: g4dn.2xlarge}", 'gpu: "true"'],
    ],
    [
      "a model of GPUs that one provider has in the area of the data",
      "KaasCluster",
      "{dataResidency: [IT], nodePools: [{name: system, count: 2, cpu: 2, memory: 8}, {name: train, min: 0, max: 4, gpu: nvidia-tesla-a100, taints: ['nvidia.com/gpu=present:NoSchedule']}]}",
      "{dataResidency: [IT], poolInstanceTypes: {system: Standard_D2as_v6, train: Standard_NC24ads_A100_v4}, nodePools: [{name: system, count: 2, cpu: 2, memory: 8}, {name: train, min: 0, max: 4, cpu: 4, memory: 16, gpu: 1, taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}]}",
      ["poolInstanceTypes: {system: Standard_D2as_v6, train: Standard_NC24ads_A100_v4}"],
    ],
    [
      "the types of two pools, of which the catalog has one",
      "KaasCluster",
      "{nodePools: [{name: system, count: 2, instanceType: t3.large}, {name: gpu, count: 1, cpu: 4, memory: 16, gpu: 1, instanceType: p3.2xlarge}]}",
      "{poolInstanceTypes: {system: t3.large, gpu: g4dn.xlarge}, nodePools: [{name: system, count: 2, cpu: 2, memory: 8}, {name: gpu, count: 1, cpu: 4, memory: 16, gpu: 1}]}",
      ["poolInstanceTypes {system: t3.large, gpu: g4dn.xlarge}", "write cpu: 2, as t3.large has"],
    ],
    [
      "a script that begins a comment in YAML",
      "VmTemplate",
      "{cpu: 2, memory: 4, userData: }",
      '{cpu: 2, memory: 4, userData: "#!/bin/sh\\napt-get update\\n"}',
      ["put | after userData:, and below it, indented, #!/bin/sh and the commands"],
    ],
    [
      "a network in another field that is too small",
      "KaasCluster",
      "{provider: aws, schedulingLocation: eu-west-1, nodeCidr: 10.0.0.0/24, nodePools: [{name: system, count: 3, cpu: 2, memory: 8}, {name: batch, min: 0, max: 100, cpu: 4, memory: 16}]}",
      "{provider: aws, schedulingLocation: eu-west-1, network: {nodeCidr: 10.0.0.0/19}, nodePools: [{name: system, count: 3, cpu: 2, memory: 8}, {name: batch, min: 0, max: 100, cpu: 4, memory: 16}]}",
      ["write network: {nodeCidr: 10.0.0.0/19}"],
    ],
    [
      "pauses in another field, without a deadline",
      "VmTemplate",
      "{cpu: 2, memory: 4, duration: 3d, pauses: true, maxWait: 12h, whenDone: delete}",
      "{cpu: 2, memory: 4, duration: 3d, interruptible: {}, deadline: '2026-11-24T22:00:00Z', maxWait: 12h, whenDone: delete}",
      ["write interruptible: {}; then add deadline: 2026-11-24T22:00:00Z"],
    ],
    [
      "a price of spot machines below all prices",
      "VmTemplate",
      "{cpu: 2, memory: 4, capacity: spot, maxPrice: '0.01', duration: 12h, whenDone: delete, dataResidency: [EU]}",
      "{cpu: 2, memory: 4, capacity: either, maxPrice: '0.07036', duration: 12h, whenDone: delete, dataResidency: [EU]}",
      ['capacity either and maxPrice "0.07036"'],
    ],
    [
      "a start that is later than the deadline",
      "VmTemplate",
      "{cpu: 2, memory: 4, schedulingTime: '2026-11-25T08:00:00Z', duration: 6h, deadline: '2026-11-24T18:00:00+01:00', whenDone: delete}",
      "{cpu: 2, memory: 4, schedulingTime: '2026-11-25T08:00:00Z', duration: 6h, deadline: '2026-11-25T15:00:00Z', whenDone: delete}",
      ["deadline 2026-11-25T15:00:00Z", "schedulingTime 2026-11-24T10:54:00Z"],
    ],
    [
      "a count in a pool that can be empty",
      "KaasCluster",
      "{provider: azure, nodePools: [{name: a, count: 2, min: 0, max: 4, cpu: 2, memory: 8}]}",
      "{provider: azure, nodePools: [{name: a, min: 1, max: 4, cpu: 2, memory: 8}]}",
      ["remove count and write min: 1 and max: 4"],
    ],
    [
      "times next to their zone",
      "VmTemplate",
      "{cpu: 8, memory: 32, startTime: '2026-12-11 22:00', duration: 8h, deadline: 2026-12-12, timezone: CET, whenDone: delete}",
      "{cpu: 8, memory: 32, schedulingTime: '2026-12-11T22:00:00+01:00', duration: 8h, deadline: '2026-12-12T18:00:00+01:00', whenDone: delete}",
      [
        "schedulingTime: 2026-12-11T22:00:00+01:00",
        'deadline: "2026-12-12T18:00:00+01:00"',
        "remove it: each time has",
      ],
    ],
    [
      "a cluster of kOps",
      "KaasCluster",
      "{provider: aws, networkCIDR: 172.20.0.0/16, networking: {calico: {}}, nodePools: [{name: nodes-eu-west-1a, role: Node, machineType: t3.large, minSize: 2, maxSize: 4}]}",
      "{provider: aws, network: {nodeCidr: 172.20.0.0/16, serviceCidr: 10.64.0.0/16}, poolInstanceTypes: {nodes: t3.large}, nodePools: [{name: nodes, min: 2, max: 4, cpu: 2, memory: 8}]}",
      [
        "nodeCidr: 172.20.0.0/16",
        "serviceCidr: 10.64.0.0/16",
        "poolInstanceTypes: {nodes: t3.large}",
        "name: nodes;",
        "min: 2",
      ],
    ],
    [
      "a region and a type of AWS, at Google Cloud",
      "VmTemplate",
      "{provider: gcp, schedulingLocation: us-east-1, instanceType: m5.xlarge, tags: [{Key: Team, Value: data}], maxLatency: 500, disks: [{sizeGiB: 200}]}",
      "{provider: aws, schedulingLocation: us-east-1, instanceType: m5a.xlarge, cpu: 4, memory: 16, tags: {team: data}, maxLatency: 500, disks: [{name: data, sizeGiB: 200}]}",
      ["provider: aws and instanceType: m5a.xlarge", "schedulingLocation: us-east1 and instanceType: n2-standard-4"],
    ],
    [
      "the same, at Google Cloud",
      "VmTemplate",
      "{provider: gcp, schedulingLocation: us-east-1, instanceType: m5.xlarge, tags: [{Key: Team, Value: data}], maxLatency: 500, disks: [{sizeGiB: 200}]}",
      "{provider: gcp, schedulingLocation: us-east1, instanceType: n2-standard-4, cpu: 4, memory: 16, tags: {team: data}, maxLatency: 500, disks: [{name: data, sizeGiB: 200}]}",
      ["us-east-1 and m5.xlarge are those of aws"],
    ],
    [
      "limits of Karpenter",
      "KaasCluster",
      "{provider: aws, nodePools: [{name: base, count: 2, cpu: 2, memory: 8}, {name: spot-builders, limits: {cpu: 64, memory: 256Gi}}]}",
      "{provider: aws, nodePools: [{name: base, count: 2, cpu: 2, memory: 8}, {name: spotbuilders, max: 16, cpu: 4, memory: 16}]}",
      ["max: 16 and cpu: 4 and memory: 16"],
    ],
    [
      "networks that overlap, and a zone with its region",
      "KaasCluster",
      "{provider: azure, highAvailability: true, zones: [westeurope-1], endpoint: internal, podCidr: 10.0.0.0/16, serviceCidr: 10.0.0.0/16, nodePools: [{name: system, count: 3, cpu: 2, memory: 8}]}",
      "{provider: azure, highAvailability: true, schedulingLocation: westeurope, endpoint: private, network: {podCidr: 10.64.0.0/16, serviceCidr: 172.20.0.0/16}, nodePools: [{name: system, count: 3, cpu: 2, memory: 8}]}",
      [
        "network: {podCidr: 10.64.0.0/16, serviceCidr: 172.20.0.0/16}",
        "schedulingLocation westeurope in place of zones",
      ],
    ],
    [
      "a price in euros and a short life",
      "VmTemplate",
      "{cpu: 32, memory: 128, optimizeFor: price, maxPrice: 1.20€, duration: 1d 12h, maxLifetime: 24h, whenDone: delete}",
      "{cpu: 32, memory: 128, optimizeFor: cost, maxPrice: '1.20', duration: 36h, maxLifetime: 36h, whenDone: delete}",
      ['maxPrice: "1.20"', "duration: 36h", "maxLifetime of at least 36h"],
    ],
    [
      "parts of a subnet of AWS with a public address",
      "VmTemplate",
      "{provider: aws, schedulingLocation: eu-west-1, cpu: 2, memory: 4, network: {vpc: vpc-0a1b2c3d, subnetId: subnet-0123456789abcdef0, associatePublicIpAddress: true}}",
      "{provider: aws, schedulingLocation: eu-west-1, cpu: 2, memory: 4, network: {existing: {network: vpc-0a1b2c3d, subnet: subnet-0123456789abcdef0}}}",
      [
        "existing: {network: vpc-0a1b2c3d, subnet: subnet-0123456789abcdef0}",
        "remove it: on AWS, an existing subnet itself",
      ],
    ],
    [
      "a spot machine with a price",
      "VmTemplate",
      "{provider: aws, cpu: 16, memory: 64, capacityType: SPOT, spotPrice: '0.20', duration: 12h, whenDone: delete}",
      "{provider: aws, cpu: 16, memory: 64, capacity: spot, duration: 12h, whenDone: delete}",
      ["capacity: spot, and omit the price", "capacity: spot in its place"],
    ],
    [
      "a default pool of Terraform next to another pool",
      "KaasCluster",
      "{provider: azure, schedulingLocation: westeurope, default_node_pool: {name: system, vm_size: Standard_D4s_v5, node_count: 2}, nodePools: [{name: user, vm_size: Standard_D8s_v5, min_count: 1, max_count: 5, node_taints: ['workload=batch:NoSchedule']}]}",
      "{provider: azure, schedulingLocation: westeurope, poolInstanceTypes: {system: Standard_D4s_v5, user: Standard_D8s_v5}, nodePools: [{name: system, count: 2, cpu: 4, memory: 16}, {name: user, min: 1, max: 5, cpu: 8, memory: 32, taints: [{key: workload, value: batch, effect: NoSchedule}]}]}",
      [
        "the first entry of nodePools: {name: system, count: 2, cpu: 4, memory: 16}",
        "poolInstanceTypes: {system: Standard_D4s_v5, user: Standard_D8s_v5} directly",
        "min: 1 and max: 5",
        "taints: [{key: workload, value: batch, effect: NoSchedule}]",
      ],
    ],
    [
      "a cluster of Google Cloud with its nodes beside it",
      "KaasCluster",
      "{provider: gcp, location: europe-west1, initialNodeCount: 3, nodeConfig: {machineType: e2-standard-4, diskSizeGb: 100}}",
      "{provider: gcp, schedulingLocation: europe-west1, nodePools: [{name: main, count: 3, cpu: 4, memory: 16, diskGiB: 100}], poolInstanceTypes: {main: e2-standard-4}}",
      [
        "nodePools: [{name: main, count: 3, cpu: 4, memory: 16, diskGiB: 100}]",
        "poolInstanceTypes: {main: e2-standard-4}",
        "remove it: nodePools as it is written",
      ],
    ],
    [
      "areas with two that are excluded",
      "VmTemplate",
      "{cpu: 2, memory: 8, dataResidency: {include: [EU], exclude: [HU, PL]}}",
      "{cpu: 2, memory: 8, dataResidency: [AT, BE, BG, CY, CZ, DE, DK, EE, ES, FI, FR, GR, HR, IE, IT, LT, LU, LV, MT, NL, PT, RO, SE, SI, SK]}",
      [
        "dataResidency: [AT, BE, BG, CY, CZ, DE, DK, EE, ES, FI, FR, GR, HR, IE, IT, LT, LU, LV, MT, NL, PT, RO, SE, SI, SK]",
      ],
    ],
    [
      "disks by their names",
      "VmTemplate",
      "{cpu: 4, memory: 16, dataResidency: [EU], disks: {pgdata: 500Gi, wal: 100Gi}}",
      "{cpu: 4, memory: 16, dataResidency: [EU], disks: [{name: pgdata, sizeGiB: 500}, {name: wal, sizeGiB: 100}]}",
      ["disks: [{name: pgdata, sizeGiB: 500}, {name: wal, sizeGiB: 100}]"],
    ],
    [
      "ports and volumes of docker-compose",
      "VmTemplate",
      "{cpu: 2, memory: 4, network: {publicIP: true}, ports: ['8443:443', '60000-60100:60000-60100/udp', '127.0.0.1:5432:5432'], volumes: ['recordings:/var/spool/recordings']}",
      "{cpu: 2, memory: 4, network: {publicIP: true}, ports: [{port: 8443}, {port: 60000, toPort: 60100, protocol: udp}], disks: [{name: recordings, sizeGiB: 50}]}",
      [
        "write {port: 8443}",
        "write {port: 60000, toPort: 60100, protocol: udp}",
        "remove it: a port of 127.0.0.1",
        "disks: [{name: recordings, sizeGiB: <GiB>}]",
        "it is not mounted",
      ],
    ],
    [
      "fields of a Job",
      "VmTemplate",
      "{cpu: 8, memory: 32, activeDeadlineSeconds: 7200, ttlSecondsAfterFinished: 3600, backoffLimit: 2, dataResidency: [EU]}",
      "{cpu: 8, memory: 32, maxLifetime: 2h, keepFailed: 1h, whenDone: delete, dataResidency: [EU]}",
      ["maxLifetime: 2h", "keepFailed: 1h and whenDone: delete"],
    ],
    [
      "a group of nodes of EKS with a number to begin with",
      "KaasCluster",
      "{provider: eks, schedulingLocation: eu-central-1, nodePools: [{name: runners, cpu: 4, memory: 16, minSize: 0, maxSize: 10, desiredCapacity: 2, capacityType: SPOT}]}",
      "{provider: aws, schedulingLocation: eu-central-1, nodePools: [{name: runners, cpu: 4, memory: 16, min: 2, max: 10}]}",
      ["min: 0 and max: 10", "write min: 2 for 2 nodes from the start", "provider: aws"],
    ],
    [
      "a spot machine that may be interrupted",
      "VmTemplate",
      "{cpu: 16, memory: 64, duration: 6h, whenDone: terminate, capacity: preemptible, interruptible: true}",
      "{cpu: 16, memory: 64, duration: 6h, whenDone: delete, capacity: spot}",
      ["whenDone: delete", "capacity: spot", "remove it: capacity: spot says"],
    ],
    [
      "a network of pods that holds both others",
      "KaasCluster",
      "{provider: azure, schedulingLocation: northeurope, network: {nodeCidr: 10.20.0.0/22, podCidr: 10.20.0.0/16, serviceCidr: 10.20.4.0/22}, nodePools: [{name: system, count: 3, cpu: 4, memory: 16}]}",
      "{provider: azure, schedulingLocation: northeurope, network: {nodeCidr: 10.20.0.0/22, podCidr: 10.64.0.0/16, serviceCidr: 10.20.4.0/22}, nodePools: [{name: system, count: 3, cpu: 4, memory: 16}]}",
      ["podCidr: 10.64.0.0/16"],
    ],
    [
      "one network for nodes, pods and services of EKS",
      "KaasCluster",
      "{provider: aws, schedulingLocation: eu-west-1, vpcCidr: 10.0.0.0/16, clusterNetwork: {pods: {cidrBlocks: [10.0.0.0/16]}, services: {cidrBlocks: [10.0.0.0/16]}}, nodePools: [{name: main, count: 2, cpu: 4, memory: 16}]}",
      "{provider: aws, schedulingLocation: eu-west-1, network: {nodeCidr: 10.0.0.0/16, serviceCidr: 172.20.0.0/16}, nodePools: [{name: main, count: 2, cpu: 4, memory: 16}]}",
      ["network: {nodeCidr: 10.0.0.0/16, serviceCidr: 172.20.0.0/16}; on AWS, podCidr is not possible"],
    ],
    [
      "a zone as the location of a cluster of GKE",
      "KaasCluster",
      "{provider: gcp, location: europe-west1-b, nodePools: [{name: main, count: 3, cpu: 4, memory: 16}]}",
      "{provider: gcp, schedulingLocation: europe-west1, zones: [europe-west1-b], nodePools: [{name: main, count: 3, cpu: 4, memory: 16}]}",
      ["schedulingLocation europe-west1 and zones [europe-west1-b]"],
    ],
    [
      "a region as the zone of a cluster of GKE",
      "KaasCluster",
      "{provider: gcp, zones: [europe-west1], nodePools: [{name: main, count: 3, cpu: 4, memory: 16}]}",
      "{provider: gcp, schedulingLocation: europe-west1, nodePools: [{name: main, count: 3, cpu: 4, memory: 16}]}",
      ["write schedulingLocation: europe-west1 in its place"],
    ],
    [
      "a latency from a city, in an area",
      "VmTemplate",
      "{cpu: 4, memory: 16, dataResidency: [SE], latency: {max: 30, from: Milan}}",
      "{cpu: 4, memory: 16, dataResidency: [SE], maxLatency: 47, origin: azure/italynorth}",
      ["maxLatency: 30 and origin: azure/italynorth"],
    ],
    [
      "a latency that no place of an area has",
      "VmTemplate",
      "{cpu: 4, memory: 16, dataResidency: [SE], maxLatency: 30, origin: azure/italynorth}",
      "{cpu: 4, memory: 16, dataResidency: [SE], maxLatency: 47, origin: azure/italynorth}",
      ["maxLatency ≥ 47"],
    ],
    [
      "a pool of at least no node",
      "KaasCluster",
      "{provider: gcp, nodePools: [{name: main, count: 1, cpu: 2, memory: 8}, {name: batch, min: 0, cpu: 4, memory: 16}]}",
      "{provider: gcp, nodePools: [{name: main, count: 1, cpu: 2, memory: 8}, {name: batch, min: 0, max: 1, cpu: 4, memory: 16}]}",
      ["add max, e.g. max: 1"],
    ],
    [
      "millicores and MiB",
      "VmTemplate",
      "{cpu: 4000, memory: 16384}",
      "{cpu: 4, memory: 16}",
      ["cpu 4 and memory 16 if millicores and MiB were meant"],
    ],
    [
      "the earliest start and the latest end",
      "VmTemplate",
      "{cpu: 4, memory: 16, duration: 4h, notBefore: '2026-12-01T22:00:00Z', notAfter: '2026-12-02T06:00:00Z', whenDone: delete}",
      "{cpu: 4, memory: 16, duration: 4h, schedulingTime: '2026-12-01T22:00:00Z', deadline: '2026-12-02T06:00:00Z', whenDone: delete}",
      ["schedulingTime: 2026-12-01T22:00:00Z", "deadline: 2026-12-02T06:00:00Z"],
    ],
    [
      "the cost of a run",
      "VmTemplate",
      "{cpu: 2, memory: 8, duration: 2h, maxCost: 5, whenDone: delete}",
      "{cpu: 2, memory: 8, duration: 2h, maxPrice: '2.5', whenDone: delete}",
      ['maxPrice: "2.5", the price of an hour of 5 USD for 2h'],
    ],
    [
      "a window of hours over midnight",
      "VmTemplate",
      "{cpu: 4, memory: 16, duration: 4h, window: '22:00-06:00', whenDone: delete}",
      "{cpu: 4, memory: 16, duration: 4h, schedulingTime: '2026-11-21T22:00:00Z', deadline: '2026-11-22T06:00:00Z', whenDone: delete}",
      ["schedulingTime: 2026-11-21T22:00:00Z and deadline: 2026-11-22T06:00:00Z"],
    ],
    [
      "a range of nodes and the region that is left out",
      "KaasCluster",
      "{provider: aws, excludeRegions: [eu-west-1], nodePools: [{name: main, count: 1-3, cpu: 4, memory: 16}]}",
      "{provider: aws, nodePools: [{name: main, min: 1, max: 3, cpu: 4, memory: 16}]}",
      ["min: 1 and max: 3"],
    ],
  ];

describe("an answer that is followed word for word", () => {
  it.each(OBJECTS)("passes for %s", (...[, kind, wrote, follows, says]) => {
    const { denials } = decided(kind, wrote);
    const remedies = denials.map(({ remedy }) => remedy).join("\n");
    for (const text of says) expect(remedies).toContain(text);
    expect(remedies).not.toContain("port: 22");
    expect(decided(kind, follows).denials).toEqual([]);
  });
});
