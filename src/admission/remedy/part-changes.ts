import { isObject } from "../../model/json.ts";
import { type CandidateChange, type Fields, firstOf, place } from "./change-search.ts";

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

/** Less than for another provider, which gives up more than some fields that only others have. */
const OMIT_COST = 0.3;

/** A field of a cluster, or a part of one, that some providers have and others have not. */
type Path = readonly [field: string, part?: string];

const OF_SOME_PROVIDERS: readonly Path[] = [
  ["network", "podCidr"],
  ["network", "serviceCidr"],
  ["releaseChannel"],
  ["zones"],
  ["highAvailability"],
  ["endpoint"],
];

const isThere = (spec: Fields, [field, part]: Path): boolean =>
  spec[field] !== undefined && (part === undefined || isObjectWith(spec[field], part));

/** Spec fields without these paths; null removes a field. */
function omitting(spec: Fields, paths: readonly Path[]): Fields {
  const changed: Fields = {};
  for (const [field, part] of paths) {
    const value = changed[field] ?? spec[field];
    changed[field] = part !== undefined && isObject(value) ? without(value, part) : null;
  }
  return changed;
}

/** The fewest fields to omit together, so that the provider of a cluster takes it: of two that it lacks, one alone does not help. */
export function omitFeatures(spec: Fields): CandidateChange[] {
  const paths = OF_SOME_PROVIDERS.filter((path) => isThere(spec, path));
  if (spec["nodePools"] === undefined || paths.length < 2) return [];
  const textOf = (needed: readonly Path[]): string => needed.map((path) => `no ${path.join(".")}`).join(" and ");
  const change: CandidateChange = {
    loosest: { fields: omitting(spec, paths), text: textOf(paths) },
    smallest: (ask) => {
      if (ask(omitting(spec, paths))?.allowed !== true) return null;
      let needed = paths;
      for (const path of paths) {
        const others = needed.filter((one) => one !== path);
        if (others.length > 0 && ask(omitting(spec, others))?.allowed === true) needed = others;
      }
      // A single one is a change of its own.
      if (needed.length < 2) return null;
      const fields = omitting(spec, needed);
      return { fields, text: textOf(needed), where: place(ask(fields)), cost: OMIT_COST * needed.length };
    },
  };
  return [change];
}
