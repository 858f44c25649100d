import { textAt, valueAt } from "../fields.ts";
import { zonesOfType } from "../../../model/places/machine-zones.ts";
import { zonesOf } from "../../../model/places/zones.ts";
import { RUNNING } from "../pool-versions.ts";
import { projectOf } from "./kcc-names.ts";
import type { Refusal, Resource } from "../types.ts";

/** Google changes a machine between series of these generations, T2A excepted: docs/internals/operators.md. */
const FIRST_AND_SECOND = new Set(["e2", "f1", "g1", "n1", "n2", "n2d", "c2", "c2d", "t2d", "m1", "m2"]);

const RUNS = "RUNNING";

const seriesOf = (type: string): string => type.split("-", 1)[0] ?? type;

function changes(from: string, to: string): boolean {
  const [before, after] = [seriesOf(from), seriesOf(to)];
  return before === after || (FIRST_AND_SECOND.has(before) && FIRST_AND_SECOND.has(after));
}

/** A zone that the region does not have: the Terraform provider reads the zone before it creates the machine. */
export function zoneRefusal({ spec, status }: Resource): Refusal | null {
  const zone = textAt(spec, "zone");
  if (zone === null || textAt(status, "selfLink") !== null) return null;
  if (zonesOf("gcp", zone.replace(/-[a-z]$/, ""))?.includes(zone) === true) return null;
  const message = `Error loading zone '${zone}': googleapi: Error 400: Invalid value for field 'zone': '${zone}'. Unknown zone., invalid`;
  return { code: "INVALID", message, terminal: false };
}

/** A machine that is to be created off: the Terraform provider creates none (`desiredStatusDiff` in resource_compute_instance.go). */
export function createdOffRefusal({ spec, status }: Resource): Refusal | null {
  const desired = textAt(spec, "desiredStatus") ?? RUNS;
  if (desired === RUNS || textAt(status, "selfLink") !== null) return null;
  const message = "When creating an instance, desired_status can only accept RUNNING value";
  return { code: "INVALID", message, terminal: false };
}

/** The status of a machine whose change of type was refused. */
const STOPPED = { currentStatus: "TERMINATED" };

/** The same for other refusals: of a type that no zone has, or of which there is no machine or quota left. None for a machine that keeps its type. */
export function stoppedBy({ kind, spec, status, metadata }: Resource): Pick<Refusal, "leaves"> {
  const [from, to] = [metadata.annotations?.[RUNNING], textAt(spec, "machineType")];
  const isResize =
    kind === "ComputeInstance" && textAt(status, "selfLink") !== null && from !== undefined && from !== to;
  return isResize ? { leaves: STOPPED } : {};
}

/**
 * A refusal of another type for a machine that is there: Config Connector stops the machine before it asks for the type, and starts it only once it has one
 * (`needToStopInstanceBeforeUpdating` in resource_compute_instance.go of the Terraform provider).
 */
const ofResize = (message: string): Refusal => ({
  ...{ code: "INVALID", message, terminal: false },
  leaves: STOPPED,
});

/** Google's refusal of a type that the zone does not have. A machine that is there keeps the type that it has. */
export function typeZoneRefusal({ spec, status, metadata }: Resource): Refusal | null {
  const [zone, type] = [textAt(spec, "zone"), textAt(spec, "machineType")];
  const isThere = textAt(status, "selfLink") !== null;
  if (zone === null || type === null || (isThere && (metadata.annotations?.[RUNNING] ?? type) === type)) return null;
  if (zonesOfType("gcp", zone.replace(/-[a-z]$/, ""), type)?.includes(zone) !== false) return null;
  const message = `googleapi: Error 400: Invalid value for field 'resource.machineType': 'zones/${zone}/machineTypes/${type}'. Machine type with name '${type}' does not exist in zone '${zone}'., invalid`;
  return isThere
    ? ofResize(message)
    : { code: "INVALID", message: `Error creating instance: ${message}`, terminal: false };
}

/** The project that the path of a network names. */
const PROJECT = /(?:^|\/)projects\/([^/]{1,100})\//;

/** The network of another project, for which Google Cloud takes no firewall rule. */
export function projectRefusal(resource: Resource): Refusal | null {
  const network = textAt(resource.spec, "networkRef.external") ?? "";
  const project = PROJECT.exec(network)?.[1] ?? projectOf(resource);
  if (project === projectOf(resource)) return null;
  const message = `Error creating Firewall: googleapi: Error 400: Invalid value for field 'resource.network': '${network}'. Cross project referencing is not allowed for this resource., invalid`;
  return { code: "INVALID", message, terminal: false };
}

/** A subnetwork of another region, for which Google Cloud makes no machine. Its words are assumed. */
export function regionRefusal({ spec }: Resource): Refusal | null {
  const subnet = textAt(spec, "networkInterface.subnetworkRef.external") ?? "";
  const region = textAt(spec, "zone")?.replace(/-[a-z]$/, "");
  const own = /(?:^|\/)regions\/([^/]{1,60})\//.exec(subnet)?.[1] ?? region;
  if (own === region) return null;
  const message = `Error creating instance: googleapi: Error 400: Invalid value for field 'resource.networkInterfaces[0].subnetwork': '${subnet}'. The referenced subnetwork resource cannot be found., invalid`;
  return { code: "INVALID", message, terminal: false };
}

/** A type of a series into which Google does not change this machine. Its words are assumed. */
export function machineTypeRefusal({ spec, metadata }: Resource): Refusal | null {
  const [from, to] = [metadata.annotations?.[RUNNING], textAt(spec, "machineType")];
  if (from === undefined || to === null || changes(from, to)) return null;
  return ofResize(`googleapi: Error 400: Cannot change the machine type from ${from} to ${to}., badRequest`);
}

/** The Terraform provider takes Google's own limit of a run only with the deletion of its machine. */
export function runLimitRefusal({ spec }: Resource): Refusal | null {
  const stops = textAt(spec, "scheduling.instanceTerminationAction") === "STOP";
  if (!stops || valueAt(spec, "scheduling.maxRunDuration") === undefined) return null;
  const message =
    "Error creating scheduling: Can not set MaxRunDuration on instance with STOP InstanceTerminationAction, it is not supported by terraform.";
  return { code: "INVALID", message, terminal: false };
}

/** Google shrinks no disk, and Config Connector replaces none: so it takes the size for an immutable field. */
export function diskSizeRefusal({ spec, metadata }: Resource): Refusal | null {
  const before = metadata.annotations?.[RUNNING];
  if (before === undefined || !(Number(valueAt(spec, "size")) < Number(before))) return null;
  return { code: "IMMUTABLE", message: "cannot make changes to immutable field(s): [size]", terminal: false };
}
