import { zonesOfRule, zonesRuleOf, zonesRules } from "../../model/places/machine-zones.ts";

export interface ZoneTables {
  /** Rule -> index of the place -> its zones that have the types of the rule; null if all of them have, or for another provider's place. */
  typeZones: (string[] | null)[][];
  /** provider -> type -> its rule; omitted where its zones are not limited. By name: a data image with prices has other numbers of types. */
  typeZonesOf: Record<string, Record<string, number>>;
}

/** provider -> type -> anything */
type Types = Record<string, Record<string, unknown>>;

/** Which zones have which types. Pure. */
export function zoneTables(places: readonly { provider: string; region: string }[], types: readonly Types[]): ZoneTables {
  const tables: ZoneTables = { typeZones: [], typeZonesOf: {} };
  for (const name of new Set(places.map(({ provider }) => provider))) {
    const first = tables.typeZones.length;
    for (let rule = 0; rule < zonesRules(name); rule += 1)
      tables.typeZones.push(
        places.map(({ provider, region }) => (provider === name ? zonesOfRule(provider, rule, region) : null)),
      );
    const limited = types
      .flatMap((table) => Object.keys(table[name] ?? {}))
      .map((type) => [type, zonesRuleOf(name, type)] as const)
      .filter(([, rule]) => rule !== -1);
    if (limited.length > 0)
      tables.typeZonesOf[name] = Object.fromEntries(limited.map(([type, rule]) => [type, first + rule]));
  }
  return tables;
}
