import type { Place, Volume } from "../api/types.ts";
import type { ElementoObject, NetworkChoice, VmSpec } from "../types.ts";
import { machineLabels } from "./machine-labels.ts";
import type { VmStepInput, VmWorld } from "./vm-step-input.ts";
import { attemptKey } from "./pending.ts";
import { createOwnNetwork, createVolume } from "./plan-vm.ts";
import type { VmPlan, VolumePlan } from "./plan-vm.ts";
import type { Create, Step, Thing } from "./step.ts";
import { info, refusal, wait, warning } from "./step.ts";

/** The location of the chosen offer. */
const placeOf = ({ status }: ElementoObject<VmSpec>): Place => ({
  provider: status?.placement?.provider ?? "",
  region: status?.placement?.region ?? null,
});

/** Ids of the machine's networks; a text describes what is missing. */
function networkIds(choices: readonly NetworkChoice[], { references }: VmWorld): string[] | string {
  const ids: string[] = [];
  for (const { existing, networkRef } of choices) {
    const id = existing ?? references[`network/${networkRef?.name ?? ""}`] ?? null;
    if (id === null) return `ElementoNetwork ${networkRef?.name ?? ""}`;
    ids.push(id);
  }
  return ids;
}

/** Elemento's id of a volume; null if no list has it, or its object has no id yet. */
function volumeId({ own, world }: VmStepInput, { volume, ownName }: VolumePlan): string | null {
  if (ownName !== null) return own.volumes.find(({ name }) => name === ownName)?.id ?? null;
  return volume.existing ?? world.references[`volume/${volume.volumeRef?.name ?? ""}`] ?? null;
}

/** Ids of the machine's volumes in order; a text describes what is missing. */
function volumeIds(input: VmStepInput, plan: VmPlan): string[] | string {
  const ids: string[] = [];
  for (const entry of plan.volumes) {
    const id = volumeId(input, entry);
    if (id === null) return `ElementoVolume ${entry.volume.volumeRef?.name ?? entry.volume.name}`;
    ids.push(id);
  }
  return ids;
}

/** The machine's own resources that no list has. */
function missing(input: VmStepInput, plan: VmPlan): Create[] | Step {
  const { object, own, world } = input;
  const place = placeOf(object);
  const volumes = plan.volumes
    .filter(({ ownName }) => ownName !== null && !own.volumes.some(({ name }) => name === ownName))
    .map((entry) => createVolume(entry, { spec: object.spec, place, catalog: world.catalog }));
  if (!plan.ownNetwork || own.networks.length > 0) return volumes;
  const network = createOwnNetwork(object, {
    place,
    taken: world.networks.map(({ cidr }) => cidr),
    ranges: world.ranges,
  });
  return network === null
    ? refusal(
        "NoFreeNetwork",
        `every network of ${(world.ranges ?? ["10.128.0.0/9"]).join(", ")} is taken: give network.cidr`,
      )
    : [network, ...volumes];
}

/** Own volumes that the machine can never use: broken ones and duplicates. */
function uselessVolumes(input: VmStepInput, plan: VmPlan): Thing[] {
  const wanted = new Set(plan.volumes.map(({ ownName }) => ownName));
  const kept = new Set<string>();
  return input.own.volumes.flatMap(({ id, name, state }) => {
    const useless = state === "error" || kept.has(name) || !wanted.has(name);
    if (!useless) kept.add(name);
    return useless && state !== "deleting" ? [{ what: "volume" as const, id }] : [];
  });
}

function feedOrWait(input: VmStepInput, plan: VmPlan): Step | null {
  const { object, own } = input;
  const seed = plan.volumes.find(({ volume }) => volume.type === "cloud-init");
  const volume = own.volumes.find(({ name }) => name === seed?.ownName);
  if (volume && object.status?.cloudInit?.id !== volume.id) {
    return { do: "feed", volumeId: volume.id, metaData: metaData(object, plan) };
  }
  const slow = own.volumes.filter(({ state }: Volume) => state !== "available").map(({ name }) => name);
  return slow.length === 0 ? null : wait(info("VolumesCreating", `waits for volumes ${slow.join(", ")}`));
}

/** Cloud-init's meta-data. Keys are here, so that they cannot conflict with the user data. */
function metaData({ spec, metadata }: ElementoObject<VmSpec>, plan: VmPlan): string {
  const { sshPublicKey } = spec;
  const fields = {
    "instance-id": metadata.uid ?? "",
    "local-hostname": plan.hostname,
    ...(sshPublicKey === undefined ? {} : { "public-keys": [sshPublicKey.trim()] }),
  };
  // JSON is valid YAML, with all quoting.
  return `${JSON.stringify(fields)}\n`;
}

/** Without a machine: creates volumes and network concurrently, then the machine. */
export function buildMachine(input: VmStepInput, plan: VmPlan): Step {
  const { object, world, own, attempts } = input;
  const useless = uselessVolumes(input, plan);
  if (useless.length > 0) {
    return {
      do: "remove",
      things: useless,
      say: warning("Repairing", "removes volumes that are broken or duplicates"),
    };
  }
  const absent = missing(input, plan);
  if (!Array.isArray(absent)) return absent;
  const untried = absent.filter(({ what, request }) => attempts[attemptKey(what, request.name)] === undefined);
  if (untried.length > 0) {
    const say = info("CreatingVolumes", `creates ${untried.map(({ request }) => request.name).join(", ")}`);
    return { do: "create", things: untried, say };
  }
  if (absent.length > 0) return wait(info("VolumesCreating", "waits for volumes and networks to be listed"));
  const [volumes, networks] = [volumeIds(input, plan), networkIds(plan.networks, world)];
  if (typeof volumes === "string") return wait(info("Waiting", `waits for ${volumes}`), 5000);
  if (typeof networks === "string") return wait(info("Waiting", `waits for ${networks}`), 5000);
  const unready = feedOrWait(input, plan);
  if (unready) return unready;
  if (attempts[attemptKey("machine", plan.name)] !== undefined)
    return wait(info("Registering", "waits for the machine to be listed"));
  const request = {
    ...plan.shape,
    name: plan.name,
    place: placeOf(object),
    volumeIds: volumes,
    networkIds: [...own.networks.slice(0, 1).map(({ id }) => id), ...networks],
    labels: machineLabels(object),
  };
  return {
    do: "create",
    things: [{ what: "machine", request }],
    say: info("Registering", "the machine is being registered"),
  };
}
