import { listOf, numberOf, objectOf, textOf, textOrEmpty } from "./fields.ts";
import type { Told } from "./refusal.ts";
import type { Asked, Handler, Route } from "./route.ts";
import { badField, Refusal, told } from "./refusal.ts";
import type { VmThing, World } from "./world.ts";

const PREFIX = "/api/v1.0/client/vm";
const MIB_PER_GB = 1024;
const HOURS_PER_MONTH = 730;

type Fields = Record<string, unknown>;

function checkMachine(body: Fields): number {
  numberOf(body, "ramsize", 1);
  textOf(objectOf(body, "misc"), "os_family");
  if (!Array.isArray(body["archs"]) || body["archs"].length === 0) throw badField("archs");
  return numberOf(body, "slots", 1);
}

const slotsFree = (world: World): number =>
  world.settings.capacity - world.alive(world.vms).reduce((sum, { slots }) => sum + slots, 0);

const offers =
  (world: World): Handler =>
  ({ body }) => {
    const hasRoom = checkMachine(body) <= slotsFree(world);
    const sellers = Object.entries(world.settings.prices).filter(([name]) => !world.settings.outages.includes(name));
    return told(200, {
      mesos: sellers
        .filter(() => hasRoom)
        .flatMap(([provider, { regions, month }]) =>
          regions.map((region) => ({
            price: { hour: month / HOURS_PER_MONTH, month, unit: "EUR" },
            provider,
            region,
          })),
        ),
    });
  };

/** The volumes for a machine: they must exist, be complete and be unused. */
function volumesFor(world: World, body: Fields): string[] {
  return listOf(body, "volumes").map((entry) => {
    const id = textOf(entry, "vid");
    const volume = world.volumes.get(id);
    const state = volume === undefined ? "gone" : world.stateOf(volume);
    if (state === "gone") throw new Refusal(404, "VolumeNotFound", { trace: id });
    if (state !== "available") throw new Refusal(409, "Locked", { trace: `volume ${id} is ${state}` });
    if (world.alive(world.vms).some(({ volumeIds }) => volumeIds.includes(id)))
      throw new Refusal(409, "VolumeAlreadyAttached", { trace: id });
    return id;
  });
}

function networksFor(world: World, body: Fields): string[] {
  return listOf(body, "networks").map((entry) => {
    const id = textOf(entry, "network_uid");
    const network = world.networks.get(id);
    if (network === undefined || world.stateOf(network) === "gone") throw new Refusal(404, "NotFound", { trace: id });
    return id;
  });
}

function checkRoom(world: World, provider: string, slots: number): void {
  const { outages, quota } = world.settings;
  if (outages.includes(provider)) throw new Refusal(503, "ServiceUnavailable", { trace: `${provider} is away` });
  if (world.alive(world.vms).length >= quota.vms) throw new Refusal(403, "ResourceLimitExceeded", { trace: "vms" });
  if (slots > slotsFree(world)) throw new Refusal(503, "NotAllocable", { trace: "no host has so many slots" });
}

function addVm(world: World, body: Fields): VmThing {
  const name = textOf(objectOf(body, "info"), "vm_name");
  const slots = checkMachine(body);
  const provider = textOrEmpty(body, "ip_address").split(".")[0] ?? "";
  checkRoom(world, provider, slots);
  const [nowMs, { vmMs }] = [world.nowMs(), world.settings];
  const timeline = [
    { at: 0, state: "initializing" },
    { at: nowMs + vmMs / 3, state: "starting" },
    { at: nowMs + vmMs, state: "running" },
  ];
  const [volumeIds, networkIds] = [volumesFor(world, body), networksFor(world, body)];
  const number = world.counters.vms.created;
  const ipv4 = `10.${String((number >> 16) & 255)}.${String((number >> 8) & 255)}.${String((number & 255) + 2)}`;
  const thing = { name, slots, provider, volumeIds, networkIds, ipv4, request: body, timeline };
  return world.add("vms", world.vms, { id: world.uuid(), createdAt: nowMs, deleteAsked: false, ...thing });
}

/** `07/31/2026, 14:05:09`, in UTC. */
function dateText(time: number): string {
  const [date = "", clock = ""] = new Date(time).toISOString().split("T");
  const [year = "", month = "", day = ""] = date.split("-");
  return `${month}/${day}/${year}, ${clock.slice(0, 8)}`;
}

function serverOf(world: World, vm: VmThing): Fields {
  const { request } = vm;
  const { archs, ramsize, misc, info, labels, pci, volumes, networks, ...rest } = request;
  const state = world.stateOf(vm);
  return {
    uniqueID: vm.id,
    name: vm.name,
    status: state,
    creation_date: dateText(vm.createdAt),
    network_config: { name: "eth0", ipv4: state === "running" || state === "off" ? vm.ipv4 : null },
    serverurl: textOrEmpty(request, "ip_address"),
    is_gateway: false,
    req_json: {
      ...rest,
      vm_name: vm.name,
      arch: Array.isArray(archs) ? String(archs[0]) : "",
      ramsize: Number(ramsize) / MIB_PER_GB,
      pcidevs: pci ?? [],
      ...(misc as Fields),
    },
    labels: labels ?? {},
    volumes: vm.volumeIds.map((vid) => ({ vid })),
  };
}

function vmOf(world: World, { body }: Asked, key: string): VmThing {
  const vm = world.vms.get(textOf(body, key));
  if (vm === undefined || world.stateOf(vm) === "gone")
    throw new Refusal(404, "NotFound", { trace: String(body[key]) });
  return vm;
}

const unregister =
  (world: World, key: string): Handler =>
  (asked) => {
    const vm = vmOf(world, asked, key);
    const holdsData = vm.volumeIds.some((id) => world.volumes.get(id)?.kind === "data");
    if (world.settings.strictDelete && holdsData) throw new Refusal(409, "CannotBeDeleted", { trace: "data volumes" });
    world.remove("vms", vm);
    return told(200);
  };

/** Starts or stops a machine in one of the states `from`. */
const change =
  (world: World, from: readonly string[], states: [working: string, done: string]): Handler =>
  (asked): Told => {
    const vm = vmOf(world, asked, "local_index");
    const state = world.stateOf(vm);
    if (!from.includes(state)) throw new Refusal(425, "TooEarly", { origin: "PROVIDER", trace: `the VM is ${state}` });
    const [working, done] = states;
    const nowMs = world.nowMs();
    vm.timeline = [
      { at: 0, state: working },
      { at: nowMs + world.settings.vmMs / 3, state: done },
    ];
    return told(202, { success: `${working} VM ${vm.id}` });
  };

/** The matcher's routes. */
export const compute = (world: World): Route[] => [
  { method: "POST", path: `${PREFIX}/canallocate`, handler: offers(world) },
  {
    method: "POST",
    path: `${PREFIX}/register`,
    handler: ({ body }) => {
      const vm = addVm(world, body);
      if (world.settings.registered === "server")
        return told(200, { server: serverOf(world, vm), root_password: null });
      return told(202, { vm_uuid: vm.id, poolingURL: `https://api/v1.0/running/${vm.id}` });
    },
  },
  {
    method: "GET",
    path: `${PREFIX}/status`,
    handler: () =>
      told(
        200,
        world.listed(world.vms).map((vm) => serverOf(world, vm)),
      ),
  },
  { method: "POST", path: `${PREFIX}/unregister`, handler: unregister(world, "local_index") },
  {
    method: "POST",
    path: `${PREFIX}/delete`,
    handler: (asked) => {
      if (!world.settings.goClientDeletes) throw new Refusal(404, "NotFound");
      return unregister(world, "volume_id")(asked);
    },
  },
  { method: "POST", path: `${PREFIX}/start`, handler: change(world, ["off"], ["starting", "running"]) },
  { method: "POST", path: `${PREFIX}/stop`, handler: change(world, ["running"], ["stopping", "off"]) },
  { method: "POST", path: `${PREFIX}/reboot`, handler: change(world, ["running"], ["starting", "running"]) },
];
