import { LandfallError } from "../errors.ts";
import { CLUSTER_FIELDS } from "./cluster-fields.ts";
import { merge } from "./merge.ts";
import { poolNames } from "./names.ts";
import { POOL_FIELDS, typeOf } from "./pool-fields.ts";
import {
  KOPS_PROVIDERS,
  type KaasCluster,
  type KaasSpec,
  type KopsCatalog,
  type KopsManifests,
  type KopsProvider,
} from "./types.ts";
import { readValue } from "../model/wrong-value/read/read-value.ts";
import { checkSubnets, readSubnets } from "./zones.ts";
import { textOf } from "../model/json.ts";

/** Throws KOPS_PROVIDER for a cloud that the mapping does not cover. */
export function providerOf({ cluster }: KopsManifests): KopsProvider {
  const { cloudProvider: provider } = cluster.spec;
  const found = KOPS_PROVIDERS.find((one) => one === provider);
  if (found !== undefined) return found;
  const object = `Cluster ${cluster.metadata.name ?? ""}`;
  const near = meantProvider(provider);
  const correction = near === null ? "import a cluster of aws or elemento" : `write cloudProvider: ${near}`;
  throw new LandfallError("KOPS_PROVIDER", { object, provider: textOf(provider), correction });
}

/** The provider that a name in other words stands for, as `AWS` and `amazon`; null for another provider. */
function meantProvider(name: unknown): string | null {
  const node = {
    type: "string",
    enum: KOPS_PROVIDERS,
    "x-values": { amazon: "aws", ec2: "aws", amazonwebservices: "aws" },
  };
  const value = readValue(node, name)?.value;
  return typeof value === "string" ? value : null;
}

/**
 * Maps kOps manifests that their schemas accept to a KaasCluster with fixed machine types. Pure. Throws KOPS_PROVIDER,
 * KOPS_SUBNET, KOPS_ZONE, KOPS_MACHINE.
 */
export function toKaas(manifests: KopsManifests, catalog: KopsCatalog): KaasCluster {
  const provider = providerOf(manifests);
  const known = readSubnets(manifests.cluster);
  for (const group of [...manifests.controlPlane, ...manifests.nodes]) checkSubnets(group, known);
  const names = poolNames(manifests.nodes);
  const pools = manifests.nodes.map((group, index) =>
    merge([{ name: names[index] }, ...POOL_FIELDS.map(({ read }) => read(group, provider, catalog))]),
  );
  const poolInstanceTypes = Object.fromEntries(
    manifests.nodes.map((group, index) => [names[index] ?? "", typeOf(group, provider, catalog)]),
  );
  const parts = CLUSTER_FIELDS.map(({ read }) => read(manifests.cluster, provider, catalog));
  const spec = merge([...parts.map((part) => part.spec ?? {}), { nodePools: pools, poolInstanceTypes }]);
  const name = parts.find((part) => part.name !== undefined)?.name ?? "";
  return { name, spec: withoutEmpty(spec) as unknown as KaasSpec };
}

/** Omits a network without fields. */
function withoutEmpty({ network, ...spec }: Record<string, unknown>): Record<string, unknown> {
  return Object.keys(network as object).length === 0 ? spec : { ...spec, network };
}
