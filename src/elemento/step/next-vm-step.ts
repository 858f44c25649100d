import type { Network, Vm, Volume } from "../api/types.ts";
import { FINALIZER } from "../kinds.ts";
import { isOwnName } from "../own-name.ts";
import type { ElementoObject, VmSpec } from "../types.ts";
import { buildMachine } from "./build-machine.ts";
import { keepMachine } from "./keep-machine.ts";
import { attemptKey, openAttempts } from "./pending.ts";
import { planVm } from "./plan-vm.ts";
import { isElsewhere } from "./is-elsewhere.ts";
import { type Decision, SOON_MS, type Step } from "./step.ts";
import type { OwnThings, VmStepInput, VmWorld } from "./vm-step-input.ts";
import { removeThings } from "./remove-things.ts";

/** Deletes machines first, then what they use; waits for deletions in progress. */
function removeVm({ object, own, attempts }: VmStepInput): Step {
  return removeThings({
    retain: object.spec.deletionPolicy === "retain",
    attempts,
    stages: [
      own.vms.map(({ id, state }) => ({ what: "machine", id, going: state === "deleting" })),
      [
        ...own.volumes.map(({ id, state }) => ({ what: "volume" as const, id, going: state === "deleting" })),
        ...own.networks.map(({ id }) => ({ what: "network" as const, id, going: false })),
      ],
    ],
  });
}

/** A machine that is being deleted sorts last. */
const goingLast = (one: Vm, other: Vm): number => Number(one.state === "deleting") - Number(other.state === "deleting");

const createdFirst = (one: Vm, other: Vm): number =>
  goingLast(one, other) ||
  (one.createdAt ?? "9").localeCompare(other.createdAt ?? "9") ||
  one.id.localeCompare(other.id);

const heldFirst = (one: Volume, other: Volume): number =>
  other.vmIds.length - one.vmIds.length || one.id.localeCompare(other.id);

function ownThings(object: ElementoObject<VmSpec>, world: VmWorld): OwnThings {
  const uid = object.metadata.uid ?? "";
  const known = object.status?.network?.id;
  const recordedFirst = (one: Network, other: Network): number =>
    Number(other.id === known) - Number(one.id === known) || one.id.localeCompare(other.id);
  return {
    vms: world.vms.filter(({ name }) => isOwnName(name, uid)).sort(createdFirst),
    volumes: world.volumes.filter(({ name }) => isOwnName(name, uid)).sort(heldFirst),
    networks: world.networks.filter(({ name }) => isOwnName(name, uid)).sort(recordedFirst),
  };
}

function seenOf({ status }: ElementoObject<VmSpec>, own: OwnThings): Record<string, unknown> {
  const [vm] = own.vms;
  const [network] = own.networks;
  const gone = status?.id === undefined ? {} : { state: "gone" };
  return {
    ...(vm === undefined ? gone : { id: vm.id, state: vm.state, ...(vm.ipv4 === null ? {} : { ipv4: vm.ipv4 }) }),
    ...(network === undefined ? {} : { network: { id: network.id } }),
    volumes: own.volumes
      .map(({ name, id, state }) => ({ name, id, state }))
      .sort((one, other) => one.name.localeCompare(other.name)),
  };
}

/** Decides the next step for a machine, given the object and Elemento's lists. Pure. */
export function nextVmStep(object: ElementoObject<VmSpec>, world: VmWorld): Decision {
  const own = ownThings(object, world);
  const keys = [
    ...own.vms.map(({ name }) => attemptKey("machine", name)),
    ...own.volumes.map(({ name }) => attemptKey("volume", name)),
    ...own.networks.map(({ name }) => attemptKey("network", name)),
  ];
  const attempts = openAttempts(object.status?.attempts ?? {}, keys, world);
  const step = stepOf({ object, world, own, attempts });
  // Until it was on, one that is off is not one that stopped: its start is tried again.
  const isFirst = step.do === "start" && object.spec.powerState === "as-is";
  return { step, seen: { ...seenOf(object, own), ...(isFirst ? { state: "starting" } : {}) }, attempts };
}

const isClaimed = ({ metadata }: ElementoObject<VmSpec>): boolean => metadata.finalizers?.includes(FINALIZER) ?? false;

function stepOf(input: VmStepInput): Step {
  const { object } = input;
  if (object.metadata.deletionTimestamp !== undefined) {
    return isClaimed(object) ? removeVm(input) : { do: "nothing" };
  }
  return isClaimed(object) ? pursue(input) : { do: "claim" };
}

/** Nothing is created only to be stopped. A machine that is still being registered is looked for, and stopped. */
function leaveOff({ attempts }: VmStepInput): Step {
  const message = "there is no machine, and powerState: off creates none";
  const lookAgainMs = Object.keys(attempts).length === 0 ? null : 2 * SOON_MS;
  return { do: "rest", reason: "Off", message, drift: [], lookAgainMs };
}

function quote({ provider, region }: VmSpec, shape: Extract<Step, { do: "quote-machine" }>["shape"]): Step {
  const wanted = { ...(provider === undefined ? {} : { provider }), ...(region === undefined ? {} : { region }) };
  return { do: "quote-machine", shape, ...wanted };
}

/** Chooses a place and a price first, then builds the machine. */
function pursue(input: VmStepInput): Step {
  const { object, world, own } = input;
  const plan = planVm(object, world.catalog);
  if ("severity" in plan) return { do: "refuse", say: plan };
  const [vm] = own.vms;
  if (vm === undefined && object.spec.powerState === "off") return leaveOff(input);
  const { placement } = object.status ?? {};
  const isQuoted = placement !== undefined && (vm !== undefined || !isElsewhere(placement, object.spec));
  if (!isQuoted) return quote(object.spec, plan.shape);
  return vm === undefined ? buildMachine(input, plan) : keepMachine(input, plan, vm);
}
