import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { KINDS, type Kind } from "../../../../src/model/names.ts";
import { abilitiesOf } from "../../../../src/model/places/operations.ts";
import { HOUR_SECONDS } from "../../../../src/model/time.ts";
import { PROVIDERS, type Provider, type WorkloadObject } from "../../../../src/model/workload.ts";
import { context, NOW, patched, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

type Spec = Record<string, unknown>;
/** The code of the first denial, empty if there is none. `-`: the provider has no such thing. */
type Answers = readonly [azure: string, aws: string, gcp: string, elemento: string];

interface Row {
  field: string;
  answers: Answers;
  /** The spec besides the base, before the change. */
  before?: Spec;
  /** Put into the stored spec before the change, without a decision. */
  stored?: Spec;
  /** The change; by provider where it differs. */
  change: Spec | ((provider: Provider, old: Spec) => Spec);
}

const policy = await loadPolicy();
const at = context(policy, NOW + HOUR_SECONDS);
const [OK, IMMUTABLE, IGNORED, POOL, FIXED] = [
  "",
  "ADM_IMMUTABLE",
  "ADM_IGNORED",
  "ADM_POOL_FIXED",
  "ADM_CLUSTER_FIXED",
];
const NONE = "-";

const REGION: Record<Provider, string> = {
  ...{ azure: "italynorth", aws: "eu-north-1", gcp: "europe-west8", elemento: "ovh-fr-paris" },
};
const ID: Record<Provider, string> = {
  azure: "/subscriptions/1/resourceGroups/r/providers/Microsoft.Network/virtualNetworks/v/subnets/s",
  ...{ aws: "subnet-0123456789abcdef0", gcp: "projects/p/regions/europe-west8/subnetworks/s", elemento: "lan" },
};
const IMAGE: Record<Provider, string> = {
  ...{ azure: "Debian:debian-12:12-gen2:latest", aws: "ami-0123456789abcdef0", gcp: "debian-cloud/debian-12" },
  elemento: "ubuntu-22-04",
};
const key = (letter: string): string => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${letter.repeat(43)}`;
const existing = (provider: Provider): Spec => ({
  ...(provider === "aws" ? { network: "vpc-0123456789abcdef0" } : {}),
  ...{ subnet: ID[provider], ...(provider === "aws" ? { securityGroups: ["sg-0123456789abcdef0"] } : {}) },
});
const ZONES: Record<Provider, readonly string[]> = {
  ...{ azure: ["1", "2"], aws: ["eu-north-1b", "eu-north-1c"], gcp: ["europe-west8-b", "europe-west8-c"] },
  elemento: ["other"],
};
const DISK = { name: "data", sizeGiB: 100 };

/** Written from the providers' documentation and the operators' sources (docs/internals/operators.md), not from the catalog. */
const MACHINE: readonly Row[] = [
  { field: "arch", change: { arch: "arm64" }, answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, IMMUTABLE] },
  { field: "os", change: { os: "ubuntu-22.04" }, answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, IMMUTABLE] },
  {
    field: "image",
    change: (provider) => ({ image: IMAGE[provider] }),
    answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, IMMUTABLE],
  },
  {
    field: "zone",
    change: (provider, { zone }) => ({
      zone: { azure: zone === "1" ? "2" : "1", aws: "eu-north-1c", gcp: "europe-west8-c", elemento: "other" }[provider],
    }),
    answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, IMMUTABLE],
  },
  { field: "capacity", change: { capacity: "spot" }, answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, IMMUTABLE] },
  { field: "capacityType", change: { capacityType: "spot" }, answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, IMMUTABLE] },
  // No price of spot machines is published, so that such an object cannot be created; it was, while one was.
  {
    field: "maxPrice",
    before: { capacity: "spot" },
    stored: { maxPrice: "0.5" },
    change: { maxPrice: "0.6" },
    answers: [IMMUTABLE, IGNORED, "POL_MAX_PRICE", NONE],
  },
  { field: "vmName", change: { vmName: "db2" }, answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, IMMUTABLE] },
  {
    field: "network.cidr",
    change: { network: { cidr: "10.9.0.0/16" } },
    answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, IMMUTABLE],
  },
  {
    field: "network.existing",
    change: (provider) => ({ network: { existing: existing(provider) } }),
    answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, IMMUTABLE],
  },
  {
    field: "network.existing.securityGroups",
    before: { network: { existing: existing("aws") } },
    change: { network: { existing: { ...existing("aws"), securityGroups: ["sg-0123456789abcdef1"] } } },
    answers: [NONE, OK, NONE, NONE],
  },
  { field: "network.publicIP", change: { network: { publicIP: true } }, answers: [OK, IGNORED, IMMUTABLE, IMMUTABLE] },
  { field: "osDisk.sizeGiB", change: { osDisk: { sizeGiB: 90 } }, answers: [IMMUTABLE, IGNORED, IMMUTABLE, IGNORED] },
  {
    field: "osDisk.type",
    change: { osDisk: { type: "premium" } },
    answers: [IMMUTABLE, IGNORED, IMMUTABLE, IMMUTABLE],
  },
  { field: "disks", change: { disks: [DISK, { name: "more", sizeGiB: 10 }] }, answers: [OK, IGNORED, OK, IGNORED] },
  {
    field: "disks.type",
    change: { disks: [{ ...DISK, type: "premium" }] },
    answers: [IMMUTABLE, IGNORED, IMMUTABLE, NONE],
  },
  {
    field: "disks.deletionPolicy",
    change: { disks: [{ ...DISK, deletionPolicy: "retain" }] },
    answers: [IMMUTABLE, IGNORED, OK, IMMUTABLE],
  },
  { field: "ports", change: { ports: [{ port: 8080, cidrs: ["10.0.0.0/8"] }] }, answers: [OK, OK, OK, IMMUTABLE] },
  {
    field: "sshPublicKey",
    before: { sshPublicKey: key("A") },
    change: { sshPublicKey: key("B") },
    answers: [IMMUTABLE, IGNORED, OK, IGNORED],
  },
  {
    field: "userData",
    change: { userData: "#cloud-config\npassword: hunter2" },
    answers: [IMMUTABLE, IGNORED, IGNORED, IGNORED],
  },
  { field: "maxLifetime", change: { maxLifetime: "48h" }, answers: [OK, OK, OK, OK] },
  {
    field: "interruptible",
    before: { duration: "8h" },
    change: { interruptible: { checkpointMinutes: 10 } },
    answers: [IGNORED, IGNORED, IGNORED, IGNORED],
  },
  { field: "whenDone", before: { duration: "8h" }, change: { whenDone: "delete" }, answers: [OK, OK, OK, OK] },
  { field: "tags", change: { tags: { a: "b" } }, answers: [OK, OK, OK, IGNORED] },
  { field: "deletionPolicy", change: { deletionPolicy: "retain" }, answers: [OK, OK, OK, OK] },
];

const POOLS = [
  { name: "system", count: 2, cpu: 2, memory: 4 },
  { name: "batch", count: 1, cpu: 2, memory: 4 },
];
const second = (more: Spec): Spec => ({ nodePools: [POOLS[0], { ...POOLS[1], ...more }] });

const CLUSTER: readonly Row[] = [
  {
    field: "kubernetesVersion",
    stored: { kubernetesVersion: "1.34" },
    change: { kubernetesVersion: "1.35" },
    answers: [OK, OK, OK, FIXED],
  },
  { field: "highAvailability", change: { highAvailability: true }, answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, FIXED] },
  {
    field: "network",
    change: { network: { nodeCidr: "10.32.0.0/16" } },
    answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, FIXED],
  },
  {
    field: "zones",
    change: (provider, { zones }) => ({
      zones: ZONES[provider].filter((zone) => !isDeepStrictEqual(zones, [zone])).slice(0, 1),
    }),
    answers: [IMMUTABLE, IMMUTABLE, IMMUTABLE, FIXED],
  },
  {
    field: "endpoint",
    change: (provider) => ({ endpoint: provider === "aws" ? "public" : "private" }),
    answers: [IMMUTABLE, OK, IMMUTABLE, FIXED],
  },
  {
    field: "releaseChannel",
    change: { releaseChannel: "stable" },
    answers: ["POL_FEATURE", "POL_FEATURE", OK, "POL_FEATURE"],
  },
  { field: "nodePools.count", change: second({ count: 3 }), answers: [OK, OK, OK, FIXED] },
  { field: "nodePools.labels", change: second({ labels: { a: "b" } }), answers: [OK, OK, POOL, FIXED] },
  {
    field: "nodePools.taints",
    change: second({ taints: [{ key: "a", effect: "NoSchedule" }] }),
    answers: [OK, OK, OK, FIXED],
  },
  { field: "nodePools.diskGiB", change: second({ diskGiB: 200 }), answers: [POOL, POOL, POOL, FIXED] },
  { field: "nodePools.gpu", change: second({ gpu: 1 }), answers: [POOL, POOL, POOL, FIXED] },
  {
    field: "poolInstanceTypes",
    change: (_provider, old) => ({ poolInstanceTypes: { ...(old["poolInstanceTypes"] as Spec), batch: "other" } }),
    answers: [POOL, POOL, POOL, FIXED],
  },
  { field: "maxLifetime", change: { maxLifetime: "48h" }, answers: [OK, OK, OK, OK] },
  { field: "whenDone", before: { duration: "8h" }, change: { whenDone: "delete" }, answers: [OK, OK, OK, OK] },
  { field: "tags", change: { tags: { a: "b" } }, answers: [OK, OK, OK, FIXED] },
  { field: "deletionPolicy", change: { deletionPolicy: "retain" }, answers: [OK, OK, OK, OK] },
];

const BASE: Record<Kind, (provider: Provider) => Spec> = {
  VmTemplate: (provider) =>
    provider === "elemento" ? { cpu: 1, memory: 1, disks: [DISK] } : { cpu: 2, memory: 4, disks: [DISK] },
  KaasCluster: () => ({ nodePools: POOLS }),
};

const INSTALLED = { managed: [{ apiVersion: "v1", resource: "secrets", name: "web", namespace: "demo" }] };

function installed(kind: Kind, spec: Spec): WorkloadObject {
  const object = { ...vm(spec), kind };
  const outcome = admit({ uid: "1", operation: "CREATE", kind, object, oldObject: null }, context(policy));
  if (!outcome.allowed) throw new TypeError(`the object of before the change is denied: ${outcome.message}`);
  return { ...patched(object, outcome), status: INSTALLED };
}

function answer(kind: Kind, provider: Provider, { before = {}, stored, change }: Row): Outcome {
  const made = installed(kind, {
    ...{ provider, schedulingLocation: REGION[provider], ...BASE[kind](provider), ...before },
  });
  const old: WorkloadObject = { ...made, spec: { ...made.spec, ...stored } };
  const changed = typeof change === "function" ? change(provider, old.spec ?? {}) : change;
  const object = { ...old, spec: { ...old.spec, ...changed } };
  return admit({ uid: "2", operation: "UPDATE", kind, object, oldObject: old }, at);
}

const ROWS: Record<Kind, readonly Row[]> = { VmTemplate: MACHINE, KaasCluster: CLUSTER };
const cases = KINDS.flatMap((kind) =>
  ROWS[kind].flatMap((row) =>
    PROVIDERS.flatMap((provider) => {
      const expected = row.answers[["azure", "aws", "gcp", "elemento"].indexOf(provider)] ?? "";
      return expected === NONE ? [] : [{ kind, provider, field: row.field, expected, row }];
    }),
  ),
);

describe("a change of one field of what is installed", () => {
  it.each(KINDS)("is tried for every line of catalog/operations.json: %s", (kind) => {
    const untried = PROVIDERS.flatMap((provider) => {
      const tried = new Set(
        cases.filter((one) => one.kind === kind && one.provider === provider).map(({ field }) => field),
      );
      return Object.keys(abilitiesOf(kind, provider).fields).flatMap((field) =>
        tried.has(field) ? [] : [`${provider} ${field}`],
      );
    });
    // Elemento sells no spot machines, and has one class of disks.
    expect(untried).toEqual(kind === "VmTemplate" ? ["elemento maxPrice"] : []);
  });

  it.each(cases)("$kind on $provider: $field: $expected", ({ kind, provider, field, expected, row }) => {
    const outcome = answer(kind, provider, row);
    const text = outcome.allowed ? "" : outcome.message;
    expect([outcome.allowed ? "" : outcome.codes[0], text]).toEqual([expected, text]);
    // ACK ignores disks as a whole.
    const said = field
      .replace("disks.", field === "disks.type" && provider === "aws" ? "" : "disks[0].")
      .replace(/^type$/, "disks");
    if (expected === IMMUTABLE || expected === IGNORED) expect(text).toContain(`spec.${said} cannot change`);
    expect(text).not.toContain("hunter2");
  });
});
