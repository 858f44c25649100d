import fc from "fast-check";
import type { ClusterRequest, ClusterSpec, OraclePool } from "./cluster-request.ts";

const rarely = <T>(value: fc.Arbitrary<T>, oneIn = 5): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 1, arbitrary: value }, { weight: oneIn - 1, arbitrary: fc.constant(undefined) });
const often = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 2 });
const given = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;

const size: fc.Arbitrary<Pick<OraclePool, "count" | "min" | "max">> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ count: fc.constantFrom(1, 2, 3, 5, 12) }) },
  { weight: 4, arbitrary: fc.record({ min: fc.constantFrom(0, 1, 2), max: fc.constantFrom(3, 4, 9) }) },
  { weight: 1, arbitrary: fc.constantFrom({}, { count: 0 }, { max: 2 }, { count: 600 }, { count: 120 }) },
  { weight: 1, arbitrary: fc.constantFrom({ min: 4, max: 2 }, { count: 1, max: 2 }, { min: 1 }) },
);

const pool = fc
  .record({
    name: fc.constantFrom("system", "batch", "web", "data", "train", "spare"),
    cpu: fc.constantFrom(1, 1, 2, 2, 4, 8, 16, 96),
    memory: fc.constantFrom(1, 2, 2, 4, 7, 8, 32, 512, 20_000),
    gpu: rarely(fc.constantFrom(0, 1, 2, 4, 9, 16), 10),
    labels: rarely(fc.constantFrom({ tier: "a" }, { [`example.com/${"a".repeat(60)}`]: "a" }), 12),
    size,
  })
  .map(({ size: numbers, ...rest }): OraclePool => given({ ...rest, ...numbers }) as OraclePool);

/** Usually with unique names. */
const pools = fc.oneof(
  { weight: 9, arbitrary: fc.uniqueArray(pool, { minLength: 1, maxLength: 4, selector: ({ name }) => name }) },
  { weight: 1, arbitrary: fc.array(pool, { minLength: 2, maxLength: 3 }) },
);
const REGIONS = ["westeurope", "westcentralus", "eu-west-1", "us-west-1", "europe-west6", "ovh-fr-paris", "atlantis"];
const networks = [
  { podCidr: "10.128.0.0/14" },
  { serviceCidr: "172.28.0.0/20" },
  { nodeCidr: "10.64.0.0/16" },
  { nodeCidr: "192.168.0.0/26", podCidr: "10.0.0.0/12" },
  { podCidr: "192.168.0.0/22" },
];
const ZONES = [["eu-west-1a", "eu-west-1b"], ["eu-west-1a"], ["1", "2"], ["europe-west6-b"], ["nowhere-1"]];

const spec: fc.Arbitrary<ClusterSpec> = fc
  .record({
    nodePools: pools,
    kubernetesVersion: often(fc.constantFrom("1.20", "1.33", "1.34", "1.34", "1.35", "1.35", "1.35")),
    highAvailability: rarely(fc.boolean(), 3),
    endpoint: rarely(fc.constantFrom("public" as const, "private" as const), 6),
    zones: rarely(fc.constantFrom(...ZONES), 12),
    network: rarely(fc.constantFrom(...networks), 8),
    poolInstanceTypes: rarely(
      fc.constantFrom("m5.large", "Standard_D4s_v5", "Standard_F1als_v7", "argon", "g4dn.xlarge", "no-such-type"),
      12,
    ),
    maxLatency: rarely(fc.constantFrom(1, 10, 40, 100, 250)),
    provider: often(fc.constantFrom("azure", "aws", "gcp", "elemento")),
    dataResidency: rarely(fc.subarray(["EU", "GDPR", "US", "BR", "XX"], { minLength: 1, maxLength: 2 }), 3),
    origin: rarely(fc.constantFrom("gcp/us-central1", "aws/nowhere-1")),
    schedulingLocation: rarely(fc.constantFrom(...REGIONS), 8),
    releaseChannel: rarely(fc.constantFrom("rapid" as const, "regular" as const, "stable" as const), 20),
  })
  .map(({ poolInstanceTypes: type, ...rest }) => {
    const types =
      type === undefined
        ? {}
        : { poolInstanceTypes: Object.fromEntries(rest.nodePools.map(({ name }) => [name, type])) };
    return given({ ...rest, ...types }) as ClusterSpec;
  });

const annotations = fc
  .record({
    "landfall.dev/providers": rarely(fc.constantFrom("azure", "aws, gcp", "elemento,azure", "ibm"), 4),
    "landfall.dev/residency": rarely(fc.constantFrom("EU", "GDPR, US"), 6),
    "landfall.dev/families": rarely(fc.constantFrom("general", "memory, burstable", "general, compute"), 4),
  })
  .map((chosen) => given(chosen) as Record<string, string>);

/** Clusters as users could request them: mostly sensible, sometimes impossible, sometimes invalid. */
export const randomCluster = (nowSeconds: number): fc.Arbitrary<ClusterRequest> =>
  fc.record({
    spec,
    annotations: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: annotations }),
    nowSeconds: fc.constant(nowSeconds),
  });
