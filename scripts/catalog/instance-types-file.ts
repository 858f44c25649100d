import { readFile } from "node:fs/promises";
import type { CatalogType, FamiliesFile, GpusFile, InstanceTypesFile, PlacesFile, ResizeGroupsFile } from "../../src/bundle/catalog/catalog-files.ts";
import { GPU_FAMILY } from "../../src/bundle/catalog/catalog-files.ts";
import { machineSeries } from "../../src/bundle/catalog/machine-series.ts";
import { roundedPrice } from "../../src/bundle/catalog/refresh/merge-prices.ts";
import { zonesOfType } from "../../src/model/places/machine-zones.ts";
import { field, readCsv, type Row } from "./read-csv.ts";

type Rule = FamiliesFile["families"][string][number];

const price = (text: string): number | null => (text === "" ? null : roundedPrice(Number(text)));

function rulesOf(families: FamiliesFile, provider: string): (type: string) => Rule | null {
  const rules = (families.families[provider] ?? []).map((rule) => ({ rule, pattern: new RegExp(rule.match) }));
  return (type) => rules.find(({ pattern }) => pattern.test(type))?.rule ?? null;
}

/** Where a type is offered: region -> price text, empty where offered without a published price. */
async function offers(data: string, provider: string): Promise<Map<string, Map<string, string>>> {
  const byType = new Map<string, Map<string, string>>();
  for (const row of await readCsv(`${data}/instance_regions_${provider}.csv`)) {
    const type = field(row, "type");
    const regions = byType.get(type) ?? new Map<string, string>();
    byType.set(type, regions.set(field(row, "region"), field(row, "price")));
  }
  return byType;
}

/** The rule of a type that is in the catalog: a GPU type where gpus.json counts its GPUs, else one that families.json takes. */
function ruleFor(row: Row, { ruleOf, gpus }: { ruleOf: (type: string) => Rule | null; gpus: Record<string, number> }): Rule | null {
  const type = field(row, "type");
  if (gpus[type] !== undefined) return { match: type, family: GPU_FAMILY };
  const rule = ruleOf(type);
  return rule?.excluded !== undefined || field(row, "gpu") !== "0" ? null : rule;
}

/** The types into which the provider changes a type: those of the same group. Null where it does not say. */
function groupsOf({ groups }: ResizeGroupsFile, provider: string): (type: string) => string | null {
  const rules = groups[provider]?.map(({ match, group }) => ({ pattern: new RegExp(match), group }));
  return (type) => (rules === undefined ? null : (rules.find(({ pattern }) => pattern.test(type))?.group ?? machineSeries(type)));
}

function typeEntry(row: Row, rule: Rule, prices: (number | null)[]): CatalogType {
  return {
    family: rule.family,
    class: rule.class ?? "standard",
    arch: field(row, "arch") === "arm64" ? "arm64" : "amd64",
    vcpus: Number(field(row, "vcpus")),
    memoryGiB: Number(field(row, "memory_gib")),
    reference: price(field(row, "price_usd_hour")),
    prices,
  };
}

async function providerTypes(data: string, provider: string, context: { regions: string[]; families: FamiliesFile; gpus: GpusFile; resizes: ResizeGroupsFile }): Promise<Record<string, CatalogType>> {
  const gpus = context.gpus.gpus[provider] ?? {};
  const rules = { ruleOf: rulesOf(context.families, provider), gpus };
  const offered = await offers(data, provider);
  const groupOf = groupsOf(context.resizes, provider);
  const types: Record<string, CatalogType> = {};
  for (const row of await readCsv(`${data}/instance_types_${provider}.csv`)) {
    const type = field(row, "type");
    const rule = ruleFor(row, rules);
    if (!rule || Number(field(row, "memory_gib")) <= 0) continue;
    const prices = context.regions.map((region) => {
      const text = offered.get(type)?.get(region);
      // Google's price list names regions in which no zone has the type.
      const isSold = zonesOfType(provider, region, type)?.length !== 0;
      return text === undefined || !isSold ? -1 : price(text);
    });
    if (prices.every((entry) => entry === -1)) continue;
    const resizeGroup = groupOf(type);
    types[type] = { ...typeEntry(row, rule, prices), ...(gpus[type] === undefined ? {} : { gpus: gpus[type] }), ...(resizeGroup === null ? {} : { resizeGroup }) };
  }
  return Object.fromEntries(Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The month in which a region's prices were published. */
function priceDate(provider: string, region: string): string {
  if (provider === "azure") return "2026-06";
  if (provider === "gcp") return "2026-07";
  return region === "us-east-1" ? "2026-07" : "2025-03";
}

/** Every type of the families that families.json does not exclude, and those that gpus.json names, with its price in each region. */
export async function instanceTypesFile(data: string, { places }: PlacesFile): Promise<InstanceTypesFile> {
  const families = JSON.parse(await readFile("catalog/families.json", "utf8")) as FamiliesFile;
  const gpus = JSON.parse(await readFile("catalog/gpus.json", "utf8")) as GpusFile;
  const resizes = JSON.parse(await readFile("catalog/resize-groups.json", "utf8")) as ResizeGroupsFile;
  const file: InstanceTypesFile = {
    about:
      "USD per hour, list price, on demand, Linux, compute only. prices has one entry per region of `regions`: the price, null where the type is " +
      "offered and no price is known (none is published, or outliers.json has it), -1 where it is not offered. reference is the price in the provider's first region.",
    dates: { "types and prices of Azure": "2026-06", "types of AWS": "2026-10", "prices of AWS": "2026-07 us-east-1, 2025-03 elsewhere", "types and prices of GCP": "2026-07" },
    providers: {},
  };
  for (const provider of ["azure", "aws", "gcp"]) {
    const regions = Object.values(places).filter((place) => place.provider === provider).map((place) => place.region);
    const priceDates = regions.map((region) => priceDate(provider, region));
    file.providers[provider] = { regions, priceDates, types: await providerTypes(data, provider, { regions, families, gpus, resizes }) };
  }
  return file;
}
