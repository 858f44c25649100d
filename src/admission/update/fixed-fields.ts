import { isDeepStrictEqual } from "node:util";
import type { Denial } from "../../model/decision.ts";
import { type Change, specOf } from "./change.ts";
import { denial, shown } from "../check/denial.ts";
import { isInstalled, startsLater } from "../../model/decision-annotation/pause.ts";
import { conditionsOf } from "../../model/conditions.ts";
import { isObject } from "../../model/json.ts";
import { abilitiesOf, ignoredFields, replacedFields } from "../../model/operations.ts";
import type { PolicyWarning } from "../../model/policy.ts";
import { placeName } from "../../model/place-name.ts";

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
const IDENTITY: readonly string[] = ["arch", "os", "image", "zone", "vmName"];

function fixed(field: string, before: unknown, after: unknown): Denial {
  const params = { wanted: shown(after ?? "the default") };
  return denial("ADM_IMMUTABLE", { field: `spec.${field}`, actual: shown(before ?? "the default") }, params);
}

/** The machine's fields whose change needs a new one, at the provider where it is. */
const replaced = ({ earlier }: Change): string[] =>
  replacedFields(abilitiesOf("VmTemplate", earlier.placement.provider));

/** Codes of AWS, Azure and Google Cloud for an image that does not exist. */
const NO_IMAGE = /\b(?:InvalidAMIID\.|ImageNotFound\b|PlatformImageNotFound\b)/;

/** Whether there is no machine because its image does not exist: only a creation fails with these codes. */
function lacksImage({ update }: Change): boolean {
  const { status } = update.oldObject;
  const ready = isObject(status) ? conditionsOf({ status }).find(({ type }) => type === "Ready") : undefined;
  return ready?.status === "False" && NO_IMAGE.test(ready.message);
}

/** Omitting one of these fields keeps its value. */
function identityDenials(change: Change): Denial[] {
  const [next, old] = [specOf(change.update.object), specOf(change.update.oldObject)];
  const correctable = lacksImage(change) ? "image" : null;
  return replaced(change)
    .filter((field) => field !== correctable)
    .filter((field) => IDENTITY.includes(field) && field in next && !isDeepStrictEqual(next[field], old[field]))
    .map((field) => fixed(field, old[field], next[field]));
}

const within = (value: unknown, field: string): unknown => (isObject(value) ? value[field] : undefined);

/** `network.cidr`: the value of `cidr` inside `network`. */
const valueAt = (spec: Record<string, unknown>, path: string): unknown => path.split(".").reduce<unknown>(within, spec);

interface Changed {
  field: string;
  before: unknown;
  after: unknown;
}

/** Those of these fields that change. Omitting one changes it, except the disk that admission may have written. */
function changedOf({ update }: Change, fields: readonly string[]): Changed[] {
  const [next, old] = [specOf(update.object), specOf(update.oldObject)];
  return fields
    .filter((field) => !field.startsWith("osDisk.") || valueAt(next, field) !== undefined)
    .map((field) => ({ field, before: valueAt(old, field), after: valueAt(next, field) }))
    .filter(({ before, after }) => !isDeepStrictEqual(before, after));
}

/** What the machine is made of. */
const madeOfDenials = (change: Change): Denial[] =>
  changedOf(
    change,
    replaced(change).filter((field) => !IDENTITY.includes(field)),
  ).map(({ field, before, after }) => fixed(field, before, after));

/** What the machine's operator would accept without doing anything: the object would say what is not so. */
function ignoredDenials(change: Change): Denial[] {
  const { provider } = change.earlier.placement;
  const abilities = abilitiesOf("VmTemplate", provider);
  return changedOf(change, ignoredFields(abilities)).map(({ field, before, after }) => {
    const detail = abilities.fields[field]?.detail ?? "";
    const params = { provider, detail, wanted: shown(after ?? "the default") };
    return denial("ADM_IGNORED", { field: `spec.${field}`, actual: shown(before ?? "the default") }, params);
  });
}

interface Disk {
  /** The spec field of its size. */
  field: string;
  size: number;
}

/** By name; the boot disk has an empty name. */
function disksOf(spec: Record<string, unknown>): Map<string, Disk> {
  const found = new Map<string, Disk>();
  const boot = within(spec["osDisk"], "sizeGiB");
  if (typeof boot === "number") found.set("", { field: "osDisk.sizeGiB", size: boot });
  const disks: readonly unknown[] = Array.isArray(spec["disks"]) ? spec["disks"] : [];
  for (const [index, disk] of disks.entries()) {
    const [name, size] = [within(disk, "name"), within(disk, "sizeGiB")];
    if (typeof name === "string" && typeof size === "number") {
      found.set(name, { field: `disks[${String(index)}].sizeGiB`, size });
    }
  }
  return found;
}

/** No provider shrinks a disk. */
function diskDenials(next: Record<string, unknown>, old: Record<string, unknown>): Denial[] {
  const before = disksOf(old);
  return [...disksOf(next)].flatMap(([name, { field, size }]) => {
    const was = before.get(name)?.size ?? 0;
    return size < was ? [fixed(field, was, size)] : [];
  });
}

/** A machine that has started can't be given a start. */
function startDenials(next: Record<string, unknown>, old: Record<string, unknown>): Denial[] {
  const [before, after] = [old["schedulingTime"], next["schedulingTime"]];
  return after === undefined || after === before ? [] : [fixed("schedulingTime", before, after)];
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

/** What the change would do to a machine that is there and its provider cannot do: replace it, or fail for good. */
export function fixedFieldDenials(change: Change): Denial[] {
  const { update } = change;
  const always = identityDenials(change);
  if (!isInstalled(update.oldObject)) return [...always, ...startedDenials(change)];
  const [next, old] = [specOf(update.object), specOf(update.oldObject)];
  const made = [...madeOfDenials(change), ...ignoredDenials(change)];
  const isSaid = ({ field }: Denial): boolean => made.some((one) => field?.startsWith(one.field ?? field) === true);
  const smaller = diskDenials(next, old).filter((one) => !isSaid(one));
  return [...always, ...made, ...smaller, ...startDenials(next, old)];
}

/** What is lost with the change, and not refused: to take a disk away is its user's right. */
export function lossWarnings({ update }: Change): PolicyWarning[] {
  if (!isInstalled(update.oldObject)) return [];
  const kept = disksOf(specOf(update.object));
  const gone = [...disksOf(specOf(update.oldObject)).keys()].filter((name) => name !== "" && !kept.has(name));
  return gone.map((name) => {
    return { code: "DISK_REMOVED", message: `the disk ${name} is deleted, and what is on it` };
  });
}
