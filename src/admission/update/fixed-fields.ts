import { isDeepStrictEqual } from "node:util";
import type { Denial } from "../../model/decision.ts";
import { type Change, specOf } from "./change.ts";
import { denial, shown } from "../check/denial.ts";
import { isInstalled } from "../../model/decision-annotation/pause.ts";
import { isObject } from "../../model/json.ts";
import type { PolicyWarning } from "../../model/policy.ts";

/** An installed release keeps its region and provider. */
export function moveDenials({ update, earlier }: Change): Denial[] {
  const { provider, region } = earlier.placement;
  const spec = specOf(update.object);
  const to = `${shown(spec["provider"] ?? provider)}/${shown(spec["schedulingLocation"] ?? region)}`;
  const from = `${provider}/${region}`;
  if (to === from) return [];
  return [denial("ADM_MOVE", { field: "spec.schedulingLocation", actual: to, allowed: from }, { from, to })];
}

/** Fields that no provider changes on an existing machine. */
const FIXED_ONCE_INSTALLED = ["arch", "os", "image", "zone", "vmName"] as const;

function fixed(field: string, before: unknown, after: unknown): Denial {
  const params = { wanted: shown(after ?? "the default") };
  return denial("ADM_IMMUTABLE", { field: `spec.${field}`, actual: shown(before ?? "the default") }, params);
}

/** Omitting one of these fields keeps its value. */
function fixedDenials({ update }: Change): Denial[] {
  const [next, old] = [specOf(update.object), specOf(update.oldObject)];
  return FIXED_ONCE_INSTALLED.filter((field) => field in next && !isDeepStrictEqual(next[field], old[field])).map(
    (field) => fixed(field, old[field], next[field]),
  );
}

const within = (value: unknown, field: string): unknown => (isObject(value) ? value[field] : undefined);

/** A machine keeps its network, its own or an existing one, with its addresses. */
function networkDenials(next: Record<string, unknown>, old: Record<string, unknown>): Denial[] {
  return ["cidr", "existing"].flatMap((field) => {
    const [before, after] = [within(old["network"], field), within(next["network"], field)];
    return isDeepStrictEqual(before, after) ? [] : [fixed(`network.${field}`, before, after)];
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

/** What the change would do to a machine that is there and no provider can do: replace it, or fail for good. */
export function fixedFieldDenials(change: Change): Denial[] {
  const { update } = change;
  const always = fixedDenials(change);
  if (!isInstalled(update.oldObject)) return always;
  const [next, old] = [specOf(update.object), specOf(update.oldObject)];
  return [...always, ...networkDenials(next, old), ...diskDenials(next, old), ...startDenials(next, old)];
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
