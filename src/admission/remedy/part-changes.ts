import { isObject } from "../../model/json.ts";
import { type CandidateChange, type Fields, firstOf } from "./change-search.ts";

/** One part of a field costs less than the whole. */
const PART_COST = 0.7;

const isObjectWith = (value: unknown, field: string): value is Fields => isObject(value) && value[field] !== undefined;

/** The value without one of its fields; null if it has no other. */
function without(value: Fields, field: string): Fields | null {
  const { [field]: _gone, ...rest } = value;
  return Object.keys(rest).length === 0 ? null : rest;
}

/** One part of a field is dropped, where the others can stay. */
function dropPart(field: string, value: unknown, part: string): CandidateChange[] {
  if (!isObjectWith(value, part)) return [];
  const version = { fields: { [field]: without(value, part) }, text: `no ${field}.${part}` };
  return [firstOf([version], PART_COST, version)];
}

/** The parts of features that a provider may lack. */
export function partChanges({ osDisk, network, disks }: Fields): CandidateChange[] {
  const list: unknown[] = Array.isArray(disks) ? disks : [];
  const version = {
    fields: { disks: list.map((disk) => (isObjectWith(disk, "type") ? without(disk, "type") : disk)) },
    text: "no type of disks",
  };
  return [
    ...dropPart("osDisk", osDisk, "type"),
    ...["publicIP", "podCidr", "serviceCidr"].flatMap((part) => dropPart("network", network, part)),
    ...(list.some((disk) => isObjectWith(disk, "type")) ? [firstOf([version], PART_COST, version)] : []),
  ];
}
