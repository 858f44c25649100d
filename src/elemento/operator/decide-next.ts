import type { Resource } from "../../model/kubernetes.ts";
import type { ElementoKind } from "../kinds.ts";
import { nextKaasStep } from "../step/next-kaas-step.ts";
import { nextNetworkStep } from "../step/next-network-step.ts";
import { nextVmStep } from "../step/next-vm-step.ts";
import { nextVolumeStep } from "../step/next-volume-step.ts";
import { type Border, checkCidr, checkIds, ownersOf } from "../step/check-border.ts";
import type { Decision } from "../step/step.ts";
import type { Tenant } from "../tenants.ts";
import type { ElementoObject, KaasSpec, NetworkSpec, VmSpec, VolumeSpec } from "../types.ts";
import type { OperatorContext } from "./context.ts";
import type { Account } from "./open-accounts.ts";
import { hasKubeconfig } from "./write-kubeconfig.ts";

/** Ids of referenced networks and volumes; null while they have none. */
function references(
  context: OperatorContext,
  { spec, metadata }: ElementoObject<VmSpec>,
): Record<string, string | null> {
  const { namespace = "" } = metadata;
  const idOf = (kind: ElementoKind, name: string): string | null => {
    const id = context.find(kind, namespace, name)?.status?.["id"];
    return typeof id === "string" ? id : null;
  };
  const networks = [spec.network, ...(spec.additionalNetworks ?? [])].flatMap(
    (choice) => choice?.networkRef?.name ?? [],
  );
  const volumes = spec.volumes.flatMap(({ volumeRef }) => volumeRef?.name ?? []);
  return Object.fromEntries([
    ...networks.map((name) => [`network/${name}`, idOf("ElementoNetwork", name)]),
    ...volumes.map((name) => [`volume/${name}`, idOf("ElementoVolume", name)]),
  ]) as Record<string, string | null>;
}

/** Ids of networks and volumes that the machine joins and that are not its own. */
const namedIds = ({ spec }: ElementoObject<VmSpec>, references: Record<string, string | null>): string[] => [
  ...[spec.network, ...(spec.additionalNetworks ?? []), ...spec.volumes].flatMap((choice) => choice?.existing ?? []),
  ...Object.values(references).filter((id) => id !== null),
];

/** The share of the object's account that its namespace may use. */
const tenantOf = (context: OperatorContext, { spec, metadata }: ElementoObject): Tenant | null =>
  spec.credentialsSecret === undefined ? context.tenants(metadata.namespace ?? "") : null;

/** The decision, if the object may use and make what it says. Throws ELEMENTO_FOREIGN, ELEMENTO_CIDR. */
async function withinBorder(
  context: OperatorContext,
  object: ElementoObject,
  { view }: Account,
  { decision, ids = [] }: { decision: Decision; ids?: readonly string[] },
): Promise<Decision> {
  const { step } = decision;
  if (step.do !== "create" && step.do !== "quote-machine") return decision;
  const [networks, volumes] = await Promise.all([view.networks(), view.volumes()]);
  const { namespace = "", uid = "" } = object.metadata;
  const lists = { networks: networks.items, volumes: volumes.items, owners: ownersOf(context.list()) };
  const { pendingNetworks: pending } = context;
  const border: Border = {
    namespace,
    uid,
    tenant: tenantOf(context, object),
    ...lists,
    pending,
    nowMs: context.nowMs(),
  };
  checkIds(ids, border);
  const things = step.do === "create" ? step.things : [];
  for (const thing of things) if (thing.what === "network") checkCidr(thing.request, border);
  return decision;
}

async function decideVm(context: OperatorContext, object: ElementoObject<VmSpec>, account: Account): Promise<Decision> {
  const { view } = account;
  const [vms, volumes, networks] = await Promise.all([view.vms(), view.volumes(), view.networks()]);
  const { catalog, startedAt } = context;
  const listedAt = Math.min(vms.at, volumes.at, networks.at);
  const lists = { vms: vms.items, volumes: volumes.items, networks: networks.items };
  const named = references(context, object);
  const ranges = tenantOf(context, object)?.cidrs;
  const world = { ...lists, listedAt, startedAt, catalog, references: named, ranges };
  const decision = nextVmStep(object, world);
  return withinBorder(context, object, account, { decision, ids: namedIds(object, named) });
}

/** Lists the object's resources at Elemento, and decides the next step. */
export async function decideNext(context: OperatorContext, resource: Resource, account: Account): Promise<Decision> {
  const { catalog, startedAt } = context;
  const { view } = account;
  switch (resource.kind as ElementoKind) {
    case "ElementoVm":
      return decideVm(context, resource as unknown as ElementoObject<VmSpec>, account);
    case "ElementoKaas": {
      const object = resource as unknown as ElementoObject<KaasSpec>;
      const [{ at, items }, secretWritten] = await Promise.all([view.clusters(), hasKubeconfig(context, object)]);
      return nextKaasStep(object, { clusters: items, listedAt: at, startedAt, secretWritten, catalog });
    }
    case "ElementoNetwork": {
      const { at, items } = await view.networks();
      const object = resource as unknown as ElementoObject<NetworkSpec>;
      const decision = nextNetworkStep(object, { networks: items, listedAt: at, startedAt, catalog });
      return withinBorder(context, object, account, { decision });
    }
    case "ElementoVolume": {
      const { at, items } = await view.volumes();
      const object = resource as unknown as ElementoObject<VolumeSpec>;
      return nextVolumeStep(object, { volumes: items, listedAt: at, startedAt, catalog });
    }
  }
}
