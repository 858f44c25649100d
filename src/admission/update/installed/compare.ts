import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../../model/json.ts";
import { type Change, specOf } from "../change.ts";
import { renderedMachine } from "./rendered.ts";

export type Fields = Record<string, unknown>;

interface BeforeAndAfter {
  old: Fields;
  next: Fields;
}

/** A machine's spec before and after the change: as it is stored, and with the values that are taken where it has none. */
export interface Specs extends BeforeAndAfter {
  rendered: BeforeAndAfter;
}

export interface Changed {
  field: string;
  before: unknown;
  after: unknown;
}

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const within = (value: unknown, field: string): unknown => (isObject(value) ? value[field] : undefined);

/** `network.cidr`: the value of `cidr` inside `network`. */
const valueAt = (spec: Fields, path: string): unknown => path.split(".").reduce<unknown>(within, spec);

/** `kept`: what admission writes where the user's spec has nothing. */
export function specsOf({ update, earlier }: Change, kept: Fields): Specs {
  const { provider } = earlier.placement;
  const { capacity } = specOf(update.oldObject);
  // A machine that was bought without a capacity type keeps it.
  const next = { ...(capacity === undefined ? {} : { capacity }), ...kept, ...specOf(update.object) };
  const rendered = {
    old: renderedMachine(update.oldObject, provider),
    next: renderedMachine({ ...update.object, spec: next }, provider),
  };
  return { old: specOf(update.oldObject), next, rendered };
}

/** Fields of the catalog that every disk has. */
const OF_DISKS = ["disks.type", "disks.deletionPolicy"];

/** The disks that stay and whose field, such as `disks.type`, changes. */
function changedDisks({ old, next }: BeforeAndAfter, path: string): Changed[] {
  const name = path.slice("disks.".length);
  const before = new Map(listOf(old["disks"]).map((disk) => [within(disk, "name"), within(disk, name)]));
  return listOf(next["disks"])
    .map((disk, index) => ({ disk, field: `disks[${String(index)}].${name}` }))
    .filter(({ disk }) => before.has(within(disk, "name")))
    .map(({ disk, field }) => ({ field, before: before.get(within(disk, "name")), after: within(disk, name) }))
    .filter((one) => one.before !== one.after);
}

/** The value that the user wrote, or the default. */
const written = (spec: Fields, rendered: Fields, field: string): unknown =>
  valueAt(spec, field) ?? valueAt(rendered, field) ?? "the default";

/** Those of these fields that change. A user who omits a field, or spells out its default, changes what it amounts to, or nothing. */
export function changedOf({ old, next, rendered }: Specs, fields: readonly string[]): Changed[] {
  const ofDisks = fields.filter((field) => OF_DISKS.includes(field)).flatMap((field) => changedDisks(rendered, field));
  const others = fields
    .filter((field) => !OF_DISKS.includes(field))
    .filter((field) => !isDeepStrictEqual(valueAt(rendered.old, field), valueAt(rendered.next, field)))
    .map((field) => ({
      field,
      before: written(old, rendered.old, field),
      after: written(next, rendered.next, field),
    }));
  return [...others, ...ofDisks];
}
