import fc from "fast-check";
import type { OracleRequest, OracleSpec } from "./request.ts";

const ORIGINS = ["azure/italynorth", "gcp/us-central1", "aws/ap-northeast-1", "elemento/ovh-fr-paris", "aws/nowhere-1"];
const REGIONS = [
  "westeurope",
  "italynorth",
  "eu-west-1",
  "europe-west6",
  "us-east-1",
  "ovh-fr-paris",
  "westus",
  "atlantis",
];
const ZONES = [
  "1",
  "3",
  "eu-west-1a",
  "eu-west-1f",
  "us-east-1f",
  "europe-west6-b",
  "europe-west4-a",
  "us-central1-f",
  "europe-west6-d",
  "europe-west6-x",
];
const TYPES = [
  "Standard_D2als_v6",
  "Standard_D4s_v5",
  "m5.large",
  "c6a.large",
  "n2-standard-4",
  "argon",
  "no-such-type",
];

/** With a probability of one in `often`. */
const rarely = <T>(value: fc.Arbitrary<T>, oneIn = 4): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 1, arbitrary: value }, { weight: oneIn - 1, arbitrary: fc.constant(undefined) });
const often = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 2 });

const existing = fc.record(
  {
    network: fc.constantFrom("vpc-1", "projects/p/global/networks/n"),
    subnet: fc.constantFrom("/subscriptions/s/subnets/a", "subnet-1"),
    securityGroups: fc.constantFrom(["sg-1"], ["sg-1", "sg-2"]),
  },
  { requiredKeys: [] },
);

const network = fc.record({ publicIP: fc.boolean(), existing }, { requiredKeys: [] });

const spec = (nowSeconds: number): fc.Arbitrary<OracleSpec> =>
  fc
    .record({
      cpu: fc.constantFrom(1, 2, 3, 4, 8, 16, 48, 200),
      memory: fc.constantFrom(1, 2, 4, 7, 8, 16, 32, 100, 512, 20_000),
      hours: often(fc.integer({ min: 1, max: 48 })),
      // Not 0: whether a boot still fits (ADM_DEADLINE_BOOT) is not mirrored.
      slack: often(fc.integer({ min: -4, max: 120 }).filter((hours) => hours !== 0)),
      maxLatency: often(fc.constantFrom(1, 4, 10, 20, 40, 60, 100, 150, 250)),
      provider: often(fc.constantFrom("azure", "aws", "gcp", "elemento")),
      dataResidency: often(fc.subarray(["EU", "EEA", "GDPR", "US", "BR", "JP", "XX"], { minLength: 1, maxLength: 2 })),
      origin: rarely(fc.constantFrom(...ORIGINS)),
      arch: rarely(fc.constantFrom("amd64", "arm64")),
      burstable: often(fc.boolean()),
      capacity: rarely(fc.constantFrom("spot", "on-demand"), 6),
      os: often(fc.constantFrom("ubuntu-24.04", "ubuntu-22.04", "debian-12")),
      schedulingLocation: rarely(fc.constantFrom(...REGIONS), 8),
      instanceType: rarely(fc.constantFrom(...TYPES), 8),
      zone: rarely(fc.constantFrom(...ZONES), 12),
      image: rarely(
        fc.constantFrom(
          "ami-0123456789abcdef0",
          "Canonical:a:b:latest",
          "ubuntu-24-04",
          "p/family",
          "p/projects/q/global/images/i",
        ),
        12,
      ),
      osDisk: rarely(fc.constantFrom({ sizeGiB: 40 }, { sizeGiB: 20 }, { type: "premium" })),
      ports: rarely(fc.constant([{ port: 22 }])),
      userData: rarely(fc.constant("#!/bin/sh")),
      network: rarely(network, 10),
    })
    .map(({ hours, slack, ...rest }) => {
      const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
      if (hours !== undefined) fields["duration"] = `${String(hours)}h`;
      const end = nowSeconds + ((hours ?? 0) + (slack ?? 0)) * 3600;
      if (slack !== undefined) fields["deadline"] = new Date(end * 1000).toISOString().replace(".000Z", "Z");
      // The schema and the fields' own rules are tested elsewhere: this tests the policy.
      const { network: given, provider } = fields as { network?: OracleSpec["network"]; provider?: string };
      if (provider === "azure" && given?.existing?.subnet === "subnet-1") given.existing.subnet = "/subscriptions/s";
      return fields as OracleSpec;
    });

const annotations = fc
  .record({
    "landfall.dev/providers": rarely(
      fc.constantFrom("azure", "aws, gcp", "elemento,azure", "azure, aws, gcp", "ibm"),
      6,
    ),
    "landfall.dev/regions": rarely(fc.constantFrom("azure/westeurope, aws/eu-west-1", "gcp/atlantis"), 8),
    "landfall.dev/residency": rarely(fc.constantFrom("EU", "GDPR, US", "Narnia"), 8),
    "landfall.dev/origin": rarely(fc.constantFrom("aws/eu-west-1", "nowhere"), 8),
    "landfall.dev/families": rarely(
      fc.constantFrom("general", "memory, burstable", "general, compute", "burstable", "huge"),
      6,
    ),
    "landfall.dev/max-latency": rarely(fc.constantFrom("30", "200", "soon"), 8),
    "landfall.dev/estimates": rarely(fc.constantFrom("true", "false", "maybe"), 8),
    "landfall.dev/optimize-for": rarely(fc.constantFrom("cost", "luck"), 8),
    "landfall.dev/os": rarely(fc.constantFrom("debian-12", "plan9"), 8),
  })
  .map(
    (given) =>
      Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<string, string>,
  );

/** Requests as users and platform teams could make them: mostly sensible, sometimes impossible, sometimes invalid. */
export const randomRequest = (nowSeconds: number): fc.Arbitrary<OracleRequest> =>
  fc.record({
    spec: spec(nowSeconds),
    annotations: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: annotations }),
    nowSeconds: fc.constant(nowSeconds),
  });
