import type { Resource } from "../../model/kubernetes.ts";
import type { ElementoKind } from "../kinds.ts";
import { nextKaasStep } from "../step/next-kaas-step.ts";
import { nextNetworkStep } from "../step/next-network-step.ts";
import { nextVmStep } from "../step/next-vm-step.ts";
import { nextVolumeStep } from "../step/next-volume-step.ts";
import type { Decision } from "../step/step.ts";
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

async function decideVm(
  context: OperatorContext,
  object: ElementoObject<VmSpec>,
  { view }: Account,
): Promise<Decision> {
  const [vms, volumes, networks] = await Promise.all([view.vms(), view.volumes(), view.networks()]);
  const { catalog, startedAt } = context;
  const listedAt = Math.min(vms.at, volumes.at, networks.at);
  const lists = { vms: vms.items, volumes: volumes.items, networks: networks.items };
  return nextVmStep(object, { ...lists, listedAt, startedAt, catalog, references: references(context, object) });
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
      return nextNetworkStep(object, { networks: items, listedAt: at, startedAt, catalog });
    }
    case "ElementoVolume": {
      const { at, items } = await view.volumes();
      const object = resource as unknown as ElementoObject<VolumeSpec>;
      return nextVolumeStep(object, { volumes: items, listedAt: at, startedAt, catalog });
    }
  }
}
