import file from "../../../catalog/machine-zones.json" with { type: "json" };
import { ownValue } from "../json.ts";
import { table } from "../table.ts";
import { zonesOf } from "./zones.ts";

interface Rule {
  /** Pattern of the names of the types; the first match counts. */
  match: string;
  /** Zones by region, by their letters. A region that is not named has no zone with these types. */
  zones: Readonly<Record<string, readonly string[]>>;
}

const RULES: Readonly<Record<string, readonly { pattern: RegExp; zones: Rule["zones"] }[]>> = table(
  Object.fromEntries(
    Object.entries(file.zones as Record<string, readonly Rule[]>).map(([provider, rules]) => [
      provider,
      rules.map(({ match, zones }) => ({ pattern: new RegExp(match), zones })),
    ]),
  ),
);

/** Which rule of its provider names a type; -1 if its zones are not known, so that it may be in any zone. */
export const zonesRuleOf = (provider: string, type: string): number =>
  ownValue(RULES, provider)?.findIndex(({ pattern }) => pattern.test(type)) ?? -1;

/** The number of rules of a provider. */
export const zonesRules = (provider: string): number => ownValue(RULES, provider)?.length ?? 0;

/** The zones of a region that have the types of a rule, by their names: empty for none. Null if all of them have. */
export function zonesOfRule(provider: string, rule: number, region: string): string[] | null {
  const found = ownValue(RULES, provider)?.[rule];
  const all = zonesOf(provider, region);
  if (found === undefined || all === null) return null;
  const letters = ownValue(found.zones, region) ?? [];
  const zones = all.filter((zone) => letters.includes(zone.slice(region.length + 1)));
  return zones.length === all.length ? null : zones;
}

/** The zones of a region that have a type, by their names: empty for none. Null if all of them have it, or if that is not known. */
export const zonesOfType = (provider: string, region: string, type: string): string[] | null =>
  zonesOfRule(provider, zonesRuleOf(provider, type), region);
