import { placesOfCity } from "../places/cities.ts";
import { accepts, type Reading, type SchemaNode } from "./schema-node.ts";

const accepted = (node: SchemaNode, texts: readonly string[]): string | undefined =>
  texts.find((text) => accepts(node, text));

const NO_CITY =
  "write the provider's name of it, e.g. schedulingLocation: germanywestcentral; landfall places lists them";

const split = (place: string): [provider: string, region: string] => {
  const at = place.indexOf("/");
  return [place.slice(0, at), place.slice(at + 1)];
};

/** Its regions by provider: `italynorth for azure or eu-south-1 for aws`. */
function cityAdvice(city: string): string | null {
  const names = placesOfCity(city).map((place) => {
    const [provider, region] = split(place);
    return `${region} for ${provider}`;
  });
  const last = names.at(-1);
  if (last === undefined) return null;
  const others = names.slice(0, -1).join(", ");
  return `write schedulingLocation: ${others === "" ? last : `${others} or ${last}`}`;
}

/** Regions are one word at Azure, and have dashes elsewhere. */
export function readRegion(node: SchemaNode, text: string): Reading | null {
  const lower = text.trim().toLowerCase();
  const [provider, region] = lower.split(/[/:]/);
  if (region !== undefined)
    return {
      problem: "names the provider too",
      advice: `write provider: ${provider ?? ""} and schedulingLocation: ${region}`,
    };
  const city = cityAdvice(lower);
  if (city !== null) return { problem: "is not the name of a region", advice: city };
  const names = [lower, lower.replaceAll(/\s+/g, ""), lower.replaceAll(/[\s_]+/g, "-")];
  const value = accepted(node, names);
  if (value === undefined) return null;
  if (!/\d|-|north|south|east|west|central/.test(value))
    return { problem: "is not the name of a region", advice: NO_CITY };
  return value === lower ? { value, sure: true } : { value };
}

/** The provider whose regions have such names: `eu-south-1`, `europe-west8`. */
export function providerOf(region: string): string | null {
  if (/^[a-z]{2}-[a-z]{2,12}(?:-[a-z]{2,12})?-\d$/.test(region)) return "aws";
  return /^[a-z]{2,20}-[a-z]{2,12}\d{1,2}$/.test(region) ? "gcp" : null;
}

/** Azure's regions are words with a direction: `italynorth`, `eastus2`. */
const isOfAzure = (region: string): boolean =>
  /^(?=[a-z]*(?:north|south|east|west|central))[a-z]{5,24}[23]?$/.test(region);

/** The place of a region by its name alone; null for a name of another form. */
export function placeOfRegion(text: string): string | null {
  const region = text.toLowerCase().replaceAll(/[^a-z0-9-]/g, "");
  const provider = providerOf(region) ?? (isOfAzure(region) ? "azure" : null);
  return provider === null ? null : `${provider}/${region}`;
}

function originAdvice(text: string): string {
  const found = placeOfRegion(text);
  if (found !== null) return `write origin: ${found}`;
  const [place, ...others] = placesOfCity(text);
  if (place !== undefined) return `write origin: ${[place, ...others].join(" or origin: ")}`;
  return "write it as provider/region, e.g. origin: azure/italynorth; landfall places lists them";
}

export function readPlace(node: SchemaNode, text: string): Reading | null {
  const lower = text.trim().toLowerCase();
  const value = lower.replace(/[\s:,]+/, "/");
  if (placesOfCity(lower).length === 0 && accepts(node, value)) return { value, sure: true };
  return /^[\p{L}\d -]+$/u.test(lower) ? { problem: "names no provider", advice: originAdvice(lower) } : null;
}
