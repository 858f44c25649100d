import { findArea } from "../../places/find-area.ts";
import { placesOfCity, placesOfCountry } from "../../places/cities.ts";
import { table } from "../../table.ts";
import { SIGN } from "../texts/excluded-areas.ts";
import { trimEdges } from "../../text/trim-edges.ts";
import { accepts, FIELD, type Reading, type SchemaNode, surely } from "../schema-node.ts";

const accepted = (node: SchemaNode, texts: readonly string[]): string | undefined =>
  texts.find((text) => accepts(node, text));

const NO_CITY =
  "write the provider's name of it, e.g. schedulingLocation: germanywestcentral; landfall places lists them";

/** Other names of the providers, also those of their services. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = table({
  ...{
    azure: "azure",
    az: "azure",
    aks: "azure",
    microsoft: "azure",
    aws: "aws",
    amazon: "aws",
    ec2: "aws",
    eks: "aws",
  },
  ...{ gcp: "gcp", google: "gcp", gce: "gcp", gke: "gcp", elemento: "elemento", atomos: "elemento" },
});

/** A provider, a sign or a space, and the rest: `aws/eu-west-3`, `azure:italynorth`, `gcp europe-west8`, `azure-italynorth`. */
const BOTH = /^([a-z0-9]{2,12})(\s{0,4}[/:,|_-]\s{0,4}|\s{1,4})\(?([^/:,()]{2,60})\)?$/;

/** `google cloud` names no region: between a provider and any word stands a slash or a colon. */
function providerAndRegion(lower: string): readonly [provider: string, region: string] | null {
  const [, name = "", sign = "", rest = ""] = BOTH.exec(lower) ?? [];
  const [provider, region] = [PROVIDER_NAMES[name], rest.trim()];
  if (provider === undefined) return null;
  const isRegion = placesOfCity(region).length > 0 || placeOfRegion(inNotation(provider, region)) !== null;
  return isRegion || /[/:]/.test(sign) ? [provider, region] : null;
}

/** Azure's regions are one word; those of the others have dashes. */
const inNotation = (provider: string, region: string): string =>
  provider === "azure" ? region.replaceAll(/[^a-z0-9]+/g, "") : trimEdges(region.replaceAll(/[^a-z0-9]+/g, "-"), "-");

/** The fields of a provider and a region in one text; null for others. */
function placeIn(lower: string): string | null {
  const [provider, region = ""] = providerAndRegion(lower) ?? [];
  if (provider === undefined || PROVIDER_NAMES[region] !== undefined) return null;
  const place = placesOfCity(region).find((one) => one.startsWith(`${provider}/`));
  const name = place === undefined ? inNotation(provider, region) : split(place)[1];
  return `write provider: ${provider} and schedulingLocation: ${name}`;
}

const split = (place: string): [provider: string, region: string] => {
  const at = place.indexOf("/");
  return [place.slice(0, at), place.slice(at + 1)];
};

/** The only region of an object's provider in a city; undefined if there are none or several. */
function regionIn(provider: string | undefined, city: string): string | undefined {
  const [only, ...others] = placesOfCity(city).filter((place) => split(place)[0] === provider);
  return only === undefined || others.length > 0 ? undefined : split(only)[1];
}

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

/** A text that names something else than one region: a provider too, several, all of a pattern, or a city. Null for others. */
function notOneRegion(node: SchemaNode, lower: string): Reading | null {
  const both = placeIn(lower);
  if (both !== null) return { problem: "names the provider too", advice: both };
  const [first = "", second] = lower.split(/\s{0,4}[/:,]\s{0,4}/);
  if (second !== undefined && placeOfRegion(first) !== null)
    return { problem: "names more than one region", value: first };
  if (/[*?]/.test(lower)) return { problem: "has a wildcard, and the field takes one region", ...severalAdvice(node) };
  const region = regionIn(node["x-provider"], lower);
  if (region !== undefined) return { problem: "is not the name of a region", value: region };
  const city = cityAdvice(lower) ?? (second === undefined ? null : cityAdvice(first));
  return city === null ? null : { problem: "is not the name of a region", advice: city };
}

/** Regions are one word at Azure, and have dashes elsewhere. */
export function readRegion(node: SchemaNode, text: string): Reading | null {
  const lower = text.trim().toLowerCase();
  const { "x-excluding": excluding } = node;
  if (excluding !== undefined && SIGN.test(lower)) return { problem: "excludes a region", advice: excluding };
  const other = notOneRegion(node, lower);
  if (other !== null) return other;
  const names = [lower, lower.replaceAll(/\s+/g, ""), lower.replaceAll(/[\s_]+/g, "-")];
  const value = accepted(node, names);
  const area = /[\d-]|north|south|east|west|central/.test(lower) ? null : findArea(lower);
  if (area !== null)
    return { problem: "is an area and not a region", advice: `write dataResidency: [${area}] in place of it` };
  if (value === undefined) return null;
  if (!/\d|-|north|south|east|west|central/.test(value))
    return { problem: "is not the name of a region", advice: NO_CITY };
  return value === lower ? { value, sure: true } : { value };
}

/** The provider whose regions have such names: `eu-south-1`, `europe-west8`. */
function providerOf(region: string): string | null {
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

/** A schema's text about several values, with them in it; without examples if none are known. */
export const ofSeveral = (text: string, values: readonly string[]): string =>
  values.length === 0
    ? text.replace(/, e\.g\. \w{1,40}: <value>/, "").replace(": <values>", "")
    : text.replace("<value>", () => values[0] ?? "").replace("<values>", () => values.join(","));

/** The advice about several regions, without one of them. */
const severalAdvice = ({ "x-several": several }: SchemaNode): Pick<Reading, "advice"> =>
  several === undefined ? {} : { advice: ofSeveral(several, []) };

const NO_PROVIDER = "names no provider";

/** A region or a city without its provider. */
function placeAlone(text: string): Reading {
  // The letter of a zone: eu-south-1a of AWS, europe-west8-b of Google Cloud.
  const found = placeOfRegion(text) ?? placeOfRegion(text.replace(/(?<=\d)-?[a-f]$/, ""));
  if (found !== null) return { problem: NO_PROVIDER, value: found, sure: true };
  const [place, ...others] = placesOfCity(text);
  if (place === undefined) {
    const area = findArea(text);
    const [example = "azure/italynorth"] = area === null ? [] : placesOfCountry(area);
    return {
      problem: area === null ? NO_PROVIDER : "is an area, and not a place",
      advice: `write it as provider/region, e.g. ${FIELD}${example}; landfall places lists them`,
    };
  }
  if (others.length === 0) return { problem: NO_PROVIDER, value: place, sure: true };
  return { problem: NO_PROVIDER, advice: `write ${[place, ...others].map((one) => FIELD + one).join(" or ")}` };
}

/** A place as text, in the notation that its provider has: `azure/West Europe` is azure/westeurope, `AWS: EU West 3` is aws/eu-west-3. */
export function readPlace(_node: SchemaNode, text: string): Reading | null {
  const lower = text.trim().toLowerCase();
  if (placesOfCity(lower).length > 0) return placeAlone(lower);
  const [provider, region] = providerAndRegion(lower) ?? [];
  if (provider === undefined || region === undefined) return /^[\p{L}\d -]+$/u.test(lower) ? placeAlone(lower) : null;
  const [place, ...others] = placesOfCity(region).filter((one) => one.startsWith(`${provider}/`));
  if (place !== undefined && others.length === 0)
    return { problem: "names a city and not a region", value: place, sure: true };
  return surely(`${provider}/${inNotation(provider, region)}`, "is not in the notation of its provider");
}

/** A text in the field for providers that names a region as well, or alone, or several providers; null for others. */
export function readProvider(text: string): Reading | null {
  const lower = text.trim().toLowerCase();
  const both = placeIn(lower);
  if (both !== null) return { problem: "names a region too", advice: both };
  const place = placeOfRegion(lower);
  if (place === null || !/\d$|(?:north|south|east|west|central)$/.test(lower)) return null;
  const [provider, region] = split(place);
  return {
    problem: "is a region and not a provider",
    advice: `write provider: ${provider} and schedulingLocation: ${region}`,
  };
}
