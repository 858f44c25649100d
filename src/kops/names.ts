import { LOCAL_ZONE } from "./defaults.ts";
import { POOL_LABEL } from "./labels.ts";
import type { Manifest } from "./types.ts";
import { textOf } from "../model/json.ts";

/** Maximum length of a pool name (schemas/kaas-cluster.schema.json). */
const POOL_NAME_LIMIT = 12;

/** The InstanceGroup's name for a pool: `nodes-<place>`, with the pool's name if there are several pools. */
export const groupName = (pool: string, place: string, alone: boolean): string =>
  alone ? `nodes-${place}` : `nodes-${pool}-${place}`;

/** Splits a kOps cluster name into the object's name and the DNS zone: k8s.local, or everything after the first dot. */
export function splitName(name: string, dnsZone: unknown): { name: string; zone: string } {
  for (const zone of [dnsZone, LOCAL_ZONE])
    if (typeof zone === "string" && zone !== "" && name.endsWith(`.${zone}`))
      return { name: name.slice(0, -zone.length - 1), zone };
  const dot = name.indexOf(".");
  return dot < 0 ? { name, zone: "" } : { name: name.slice(0, dot), zone: name.slice(dot + 1) };
}

function wantedName({ metadata, spec }: Manifest): string {
  const label = metadata.labels?.[POOL_LABEL];
  if (label !== undefined) return label;
  const subnets = Array.isArray(spec["subnets"]) ? spec["subnets"].map(textOf) : [];
  const places = subnets.flatMap((subnet) => [subnet, subnet.replace(/[a-z]$/, "")]);
  const name = (metadata.name ?? "").replace(/^nodes(-|$)/, "");
  const place = places.find((one) => name === one || name.endsWith(`-${one}`));
  return place === undefined ? name : name.slice(0, -place.length);
}

function asPoolName(wanted: string): string {
  const letters = wanted.toLowerCase().replace(/[^a-z0-9]/g, "");
  return (/^[a-z]/.test(letters) ? letters : `nodes${letters}`).slice(0, POOL_NAME_LIMIT);
}

/** Unique pool names for these InstanceGroups: from the label, or from the group's name without its role and place. */
export function poolNames(groups: readonly Manifest[]): string[] {
  const taken: string[] = [];
  for (const group of groups) {
    const wanted = asPoolName(wantedName(group));
    let name = wanted;
    for (let turn = 2; taken.includes(name); turn += 1) {
      const end = String(turn);
      name = `${wanted.slice(0, POOL_NAME_LIMIT - end.length)}${end}`;
    }
    taken.push(name);
  }
  return taken;
}
