import { groupKindOf } from "../../model/kubernetes.ts";
import ipaddr from "ipaddr.js";
import { isObject, textOf } from "../../model/json.ts";
import { valueAt } from "../managed/read-awaits.ts";
import type { Resource } from "../types.ts";
import { MACHINE_PATHS, type MachinePaths } from "./machine-paths.ts";
import type { Found } from "./retry-times.ts";
import { idIn, MOST } from "./status-limits.ts";

interface DiskStatus {
  /** As in spec.disks; `os` for the machine's own. */
  name: string;
  id: string;
}

/** The name and addresses of a machine. Null for what its operator does not say, so that an older value goes. */
export interface MachineStatus {
  id: string | null;
  resource: string | null;
  publicAddresses: string[] | null;
  privateAddresses: string[] | null;
  disks: DiskStatus[] | null;
}

interface Part {
  live: Resource;
  paths: MachinePaths;
}

/** All values at a path; `[]` stands for each entry of a list. */
function valuesAt(live: Resource, path: string): unknown[] {
  const [list = "", inner] = path.split("[].");
  const found = valueAt(live, list);
  if (inner === undefined) return [found];
  return Array.isArray(found) ? found.map((entry: unknown) => (isObject(entry) ? entry[inner] : null)) : [];
}

const isAddress = (value: unknown): value is string =>
  typeof value === "string" && value.length <= MOST.address && ipaddr.isValid(value);

const addressesAt = ({ live }: Part, paths: readonly string[] = []): string[] =>
  paths.flatMap((path) => valuesAt(live, path)).filter(isAddress);

const isPublic = (address: string): boolean => ipaddr.parse(address).range() === "unicast";

function addresses(parts: readonly Part[], open: boolean): string[] | null {
  const found = parts.flatMap((part) => {
    const { publicAddresses, privateAddresses, addresses: either } = part.paths;
    const named = addressesAt(part, open ? publicAddresses : privateAddresses);
    return [...named, ...addressesAt(part, either).filter((address) => isPublic(address) === open)];
  });
  return found.length === 0 ? null : [...new Set(found)].slice(0, MOST.addresses);
}

/** The user's name of a disk: the charts put the machine's name in front. */
const diskName = (name: string, machine: string): string =>
  (name.startsWith(`${machine}-`) ? name.slice(machine.length + 1) : name).slice(0, MOST.name);

function disksOf({ live, paths }: Part, machine: string): { name: string; id: string | null }[] {
  const listed = paths.disks === undefined ? null : valueAt(live, paths.disks);
  const entries = Array.isArray(listed) ? listed.filter(isObject) : [];
  return [
    ...(paths.osDisk === undefined ? [] : [{ name: "os", id: idIn(valueAt(live, paths.osDisk)) }]),
    ...(paths.disk === undefined
      ? []
      : [{ name: diskName(live.metadata.name ?? "", machine), id: idIn(valueAt(live, paths.disk)) }]),
    ...entries.map(({ name, id }) => ({ name: diskName(textOf(name), machine), id: idIn(id) })),
  ];
}

function disks(parts: readonly Part[], machine: string): DiskStatus[] | null {
  const found = parts
    .flatMap((part) => disksOf(part, machine))
    .filter((disk): disk is DiskStatus => disk.id !== null && idIn(disk.name) !== null);
  return found.length === 0 ? null : found.slice(0, MOST.disks);
}

/**
 * The status of a machine from the resources of its release, as their operators report them; null for a release without one, or
 * one that its provider has not made yet. It is for people: nothing reads it back. Pure.
 */
export function machineStatus(found: readonly Found[]): MachineStatus | null {
  const parts = found.flatMap(({ live }): Part[] => {
    const paths = live && MACHINE_PATHS[groupKindOf(live)];
    return paths ? [{ live, paths }] : [];
  });
  const machine = parts.find(({ paths }) => paths.id !== undefined);
  if (machine === undefined) return null;
  const { live, paths } = machine;
  const status = {
    id: idIn(valueAt(live, paths.id ?? "")),
    resource: paths.resource === undefined ? null : idIn(valueAt(live, paths.resource)),
    publicAddresses: addresses(parts, true),
    privateAddresses: addresses(parts, false),
    disks: disks(parts, live.metadata.name ?? ""),
  };
  return Object.values(status).every((value) => value === null) ? null : status;
}
