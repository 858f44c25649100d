import type { Denial } from "../../../model/decision.ts";
import { type Change, specOf } from "../change.ts";
import { denial, shown } from "../../check/denial.ts";
import { isInstalled, startsLater } from "../../../model/decision-annotation/pause.ts";
import { correctableFields } from "./in-place.ts";
import { abilitiesOf, ignoredFields, replacedFields } from "../../../model/places/operations.ts";
import { parseDuration } from "../../../model/time.ts";
import { textOf } from "../../../model/json.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import { placeName } from "../../../model/workload.ts";
import { isSecret } from "../../../model/wrong-value/texts/secret-text.ts";
import { type Changed, changedOf, type Fields, listOf, NOTHING, type Specs, specsOf, within } from "./rendered.ts";
import { note } from "../../../model/text/note-codes.ts";

/** An installed release keeps its region and provider. */
export function moveDenials({ update, earlier }: Change): Denial[] {
  const { provider, region } = earlier.placement;
  const spec = specOf(update.object);
  const to = `${shown(spec["provider"] ?? provider)}/${shown(spec["schedulingLocation"] ?? region)}`;
  const from = placeName(earlier.placement);
  if (to === from) return [];
  return [denial("ADM_MOVE", { field: "spec.schedulingLocation", actual: to, allowed: from }, { from, to })];
}

/** Fields that admission decides once: they stay as soon as the object no longer waits, whether something is installed or not. */
const IDENTITY: readonly string[] = ["arch", "os", "image", "zone", "vmName", "capacity", "capacityType"];

/** The values for a message. Those of a login and of user data, which often has passwords, would reach the API server's audit log. */
function saidOf({ field, before, after }: Changed): { actual: string; wanted: string } {
  const isHidden = (value: unknown): boolean => field === "sshPublicKey" || isSecret(`/${field}`, value);
  const say = (value: unknown, otherwise: string): string =>
    value !== NOTHING && isHidden(value) ? otherwise : shown(value);
  return { actual: say(before, "the earlier value"), wanted: say(after, "another value") };
}

function fixed(changed: Changed): Denial {
  const { actual, wanted } = saidOf(changed);
  return denial("ADM_IMMUTABLE", { field: `spec.${changed.field}`, actual }, { wanted });
}

/** The machine's fields whose change needs a new one, at the provider where it is. */
const replaced = ({ earlier }: Change): string[] =>
  replacedFields(abilitiesOf("VmTemplate", earlier.placement.provider));

/** The fields that are fixed as soon as the object no longer waits. */
function identityDenials(change: Change, specs: Specs): Denial[] {
  const open = correctableFields(change.update.oldObject);
  const fields = replaced(change).filter((field) => IDENTITY.includes(field) && !open.includes(field));
  return changedOf(specs, fields).map(fixed);
}

/** The fields that define the machine. */
function madeOfDenials(change: Change, specs: Specs): Denial[] {
  const open = correctableFields(change.update.oldObject);
  const fields = replaced(change).filter((field) => !IDENTITY.includes(field) && !open.includes(field));
  return changedOf(specs, fields).map(fixed);
}

/** Fields whose change the machine's operator would accept without effect: the object would no longer be true. */
function ignoredDenials(change: Change, specs: Specs): Denial[] {
  const { provider } = change.earlier.placement;
  const abilities = abilitiesOf("VmTemplate", provider);
  const open = correctableFields(change.update.oldObject);
  const fields = ignoredFields(abilities).filter((field) => !open.includes(field));
  return changedOf(specs, fields).map((changed) => {
    const detail = abilities.fields[changed.field.replace(/\[\d{1,4}\]/, "")]?.detail ?? "";
    const { actual, wanted } = saidOf(changed);
    return denial("ADM_IGNORED", { field: `spec.${changed.field}`, actual }, { provider, detail, wanted });
  });
}

/** The pauses of a run that has begun are those of its duration: the controller follows them, and would end it at another time. */
function durationDenials({ earlier }: Change, { old, next }: Specs): Denial[] {
  const { provider, segments } = earlier.placement;
  const [before, after] = [old["duration"], next["duration"]].map((text) => parseDuration(textOf(text)));
  if (segments === undefined || before === after) return [];
  const detail = abilitiesOf("VmTemplate", provider).fields["interruptible"]?.detail ?? "";
  const where = { field: "spec.duration", actual: shown(old["duration"]) };
  return [denial("ADM_IGNORED", where, { provider, detail, wanted: shown(next["duration"]) })];
}

/** A machine of AWS that is made to be deleted when it shuts itself down stays so: its user would lose what is to be kept. */
function shutdownDenials({ earlier }: Change, { old, next }: Specs): Denial[] {
  const { provider } = earlier.placement;
  if (provider !== "aws" || old["whenDone"] !== "delete" || next["whenDone"] === "delete") return [];
  const detail = abilitiesOf("VmTemplate", provider).fields["whenDone"]?.detail ?? "";
  const params = { provider, detail, wanted: shown(next["whenDone"] ?? "keep") };
  return [denial("ADM_IGNORED", { field: "spec.whenDone", actual: "delete" }, params)];
}

/**
 * Groups of an existing network change in place, as long as one is left: ACK sends a request without a group, which EC2 refuses again and
 * again. With ports, the machine has its own group.
 */
function groupDenials({ earlier }: Change, { old, next }: Specs): Denial[] {
  if (earlier.placement.provider !== "aws") return [];
  const [before, after] = [old, next].map((spec) =>
    listOf(within(within(spec["network"], "existing"), "securityGroups")),
  );
  const hasOwn = [old, next].some((spec) => listOf(spec["ports"]).length > 0);
  const isLeft = before === undefined || before.length === 0 || after === undefined || after.length > 0;
  if (isLeft || hasOwn || within(next["network"], "existing") === undefined) return [];
  return [fixed({ field: "network.existing.securityGroups", before, after: NOTHING })];
}

interface Disk {
  /** It stays when the change omits it. */
  isKept: boolean;
  /** The spec field of its size. */
  field: string;
  size: number;
}

/** By name; the boot disk has an empty name. */
function disksOf(spec: Record<string, unknown>): Map<string, Disk> {
  const found = new Map<string, Disk>();
  const boot = within(spec["osDisk"], "sizeGiB");
  if (typeof boot === "number") found.set("", { field: "osDisk.sizeGiB", size: boot, isKept: false });
  for (const [index, disk] of listOf(spec["disks"]).entries()) {
    const [name, size] = [within(disk, "name"), within(disk, "sizeGiB")];
    if (typeof name === "string" && typeof size === "number") {
      const isKept = within(disk, "deletionPolicy") === "retain";
      found.set(name, { field: `disks[${String(index)}].sizeGiB`, size, isKept });
    }
  }
  return found;
}

/** A disk that is smaller than the limit of those that are attached can still grow to it. */
function beyond(changed: Changed, limit: number): Denial {
  const remedy = `set spec.${changed.field} to ${String(limit)} or less, or add another disk to spec.disks`;
  return { ...fixed(changed), remedy, allowed: limit };
}

/** No provider shrinks a disk, and some grow one that is attached to a limit only. */
function diskDenials({ earlier }: Change, { next, old }: Specs["rendered"]): Denial[] {
  const before = disksOf(old);
  const { growsToGiB = Infinity } = abilitiesOf("VmTemplate", earlier.placement.provider).fields["disks"] ?? {};
  return [...disksOf(next)].flatMap(([name, { field, size }]) => {
    const was = before.get(name)?.size;
    if (was === undefined) return [];
    const changed = { field, before: was, after: size };
    const isBeyond = size > growsToGiB && was <= growsToGiB;
    if (isBeyond && was < growsToGiB) return [beyond(changed, growsToGiB)];
    return size < was || isBeyond ? [fixed(changed)] : [];
  });
}

/**
 * Azure keeps the last disk attached: its operator leaves an empty list out of the request, which Azure reads as no change (juju/juju, pull
 * request 7801). The disk could not be deleted then.
 */
function lastDiskDenials({ earlier }: Change, { old, next }: Specs): Denial[] {
  const { provider } = earlier.placement;
  const [before, after] = [old, next].map((spec) => listOf(spec["disks"]).length);
  if (abilitiesOf("VmTemplate", provider).fields["disks"]?.keepsLast !== true || before === 0 || after !== 0) return [];
  const detail = "its operator sends no empty list of disks, so the last one stays attached";
  const where = { field: "spec.disks", actual: shown(old["disks"]) };
  return [denial("ADM_IGNORED", where, { provider, detail, wanted: "none" })];
}

/** A machine that has started can't be given a start. */
function startDenials(next: Record<string, unknown>, old: Record<string, unknown>): Denial[] {
  const [before, after] = [old["schedulingTime"], next["schedulingTime"]];
  if (after === undefined || after === before) return [];
  return [fixed({ field: "schedulingTime", before: before ?? NOTHING, after })];
}

/**
 * An object whose pause was lifted cannot get a later start, also before anything is installed: a controller may be at it. This
 * happens if the start comes while the request is on its way.
 */
export function startedDenials({ update, earlier, context }: Change): Denial[] {
  const [before, after] = [update.oldObject, update.object].map((object) => specOf(object)["schedulingTime"]);
  if (typeof after !== "string" || after === before || !startsLater(after, context.nowSeconds)) return [];
  const { start } = earlier.placement;
  const where = { field: "spec.schedulingTime", actual: shown(before ?? start) };
  return [denial("ADM_STARTED", where, { wanted: after, start })];
}

/**
 * Denials of what the change would do to an existing machine and its provider cannot do: replace it, or fail permanently. `kept`: what admission
 * writes where the user's spec has nothing.
 */
export function fixedFieldDenials(change: Change, kept: Fields): Denial[] {
  const { update } = change;
  const specs = specsOf(change, kept);
  const always = identityDenials(change, specs);
  if (!isInstalled(update.oldObject)) return [...always, ...startedDenials(change)];
  const made = [...madeOfDenials(change, specs), ...ignoredDenials(change, specs)];
  made.push(...shutdownDenials(change, specs), ...groupDenials(change, specs), ...durationDenials(change, specs));
  const isSaid = ({ field }: Denial): boolean => made.some((one) => field?.startsWith(one.field ?? field) === true);
  const open = correctableFields(update.oldObject);
  const isOpen = ({ field }: Denial): boolean =>
    open.includes((field ?? "").replace(/^spec\./, "").replace(/\[.*/, ""));
  const fewer = lastDiskDenials(change, specs).filter((one) => !isOpen(one));
  const smaller = diskDenials(change, specs.rendered).filter((one) => !isSaid(one) && !isOpen(one));
  return [...always, ...made, ...smaller, ...fewer, ...startDenials(specOf(update.object), specOf(update.oldObject))];
}

/** On AWS, the first ports give the machine a group of its own, and so take it out of the group that the VPC has for machines without one. */
function groupWarnings(provider: string, old: Fields, next: Fields): PolicyWarning[] {
  const existing = within(next["network"], "existing");
  const isFirst = listOf(old["ports"]).length === 0 && listOf(next["ports"]).length > 0;
  const hasGroups = [existing, within(old["network"], "existing")].some(
    (network) => listOf(within(network, "securityGroups")).length > 0,
  );
  if (provider !== "aws" || existing === undefined || !isFirst || hasGroups) return [];
  const message =
    "the machine leaves the default group of its VPC, so that only spec.ports can be reached; name that group in network.existing.securityGroups to keep what it lets in";
  return [note("GROUP_LEFT", message)];
}

/** Warnings of what the change loses. It is not refused: users may remove a disk. */
export function lossWarnings({ update, earlier }: Change): PolicyWarning[] {
  if (!isInstalled(update.oldObject)) return [];
  const [old, next] = [specOf(update.oldObject), specOf(update.object)];
  return [...diskWarnings(old, next), ...groupWarnings(earlier.placement.provider, old, next)];
}

function diskWarnings(old: Fields, next: Fields): PolicyWarning[] {
  const kept = disksOf(next);
  const gone = [...disksOf(old)].filter(([name]) => name !== "" && !kept.has(name));
  return gone.map(([name, { isKept }]) => {
    if (isKept) return note("DISK_KEPT", `the disk ${name} stays at its provider, and is paid for`);
    return note("DISK_REMOVED", `the disk ${name} is deleted, and what is on it`);
  });
}
