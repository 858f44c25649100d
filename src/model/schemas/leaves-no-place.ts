import { stringsOf, textOf } from "../json.ts";
import { inside, type SettingProblem } from "./setting-problem.ts";

type Fields = Record<string, unknown>;

interface Place {
  /** `provider/region` */
  key: string;
  country: string;
}

interface Step {
  field: string;
  value: readonly string[];
  /** Whether the rule allows this place. */
  allows: (place: Place) => boolean;
}

const providerOf = (key: string): string => key.slice(0, key.indexOf("/"));

/** The settings that choose places, as the policies apply them. An empty list of allowed places or of areas allows all. */
function stepsOf(settings: Fields, catalog: Fields): Step[] {
  const [allowed, denied, areas] = [
    stringsOf(inside(settings, "places", "allowed")),
    stringsOf(inside(settings, "places", "denied")),
    stringsOf(settings["residency"]),
  ];
  const providers = stringsOf(settings["providers"]);
  const isIn = (country: string, area: string): boolean =>
    area === country || inside(catalog, "residency", "areas", area, country) !== undefined;
  return [
    ...(Array.isArray(settings["providers"])
      ? [{ field: "providers", value: providers, allows: ({ key }: Place) => providers.includes(providerOf(key)) }]
      : []),
    { field: "places.allowed", value: allowed, allows: ({ key }) => allowed.length === 0 || allowed.includes(key) },
    { field: "places.denied", value: denied, allows: ({ key }) => !denied.includes(key) },
    {
      field: "residency",
      value: areas,
      allows: ({ country }) => areas.length === 0 || areas.some((area) => isIn(country, area)),
    },
  ];
}

const remedyOf = (step: Step, before: readonly Step[], places: readonly Place[]): string => {
  const others = before.filter(({ allows }) => places.some((place) => !allows(place))).map(({ field }) => field);
  if (others.length > 0) return `change it, or ${others.join(", ")}`;
  const all = [...new Set(places.map(({ key }) => providerOf(key)))];
  return step.field === "providers" ? `write providers: [${all.join(", ")}] for all` : "change it";
};

/**
 * The first setting after which no place of the catalog remains: every object would be denied. Empty if one remains, or for a catalog
 * without places.
 */
export function leavesNoPlace(settings: Fields, catalog: Fields): SettingProblem[] {
  const listed: unknown[] = Array.isArray(catalog["places"]) ? catalog["places"] : [];
  const places = listed.map((one): Place => ({
    key: textOf(inside(one, "key")),
    country: textOf(inside(one, "country")),
  }));
  const steps = stepsOf(settings, catalog);
  let remaining = places;
  for (const [index, step] of steps.entries()) {
    const next = remaining.filter(step.allows);
    if (next.length === 0 && remaining.length > 0) {
      const value = step.value.length > 5 ? `${step.value.slice(0, 5).join(", ")}, …` : step.value.join(", ");
      const left = `[${value}] leaves no place, so that every object would be denied`;
      return [{ field: step.field, detail: `${left}; ${remedyOf(step, steps.slice(0, index), places)}` }];
    }
    remaining = next;
  }
  return [];
}
