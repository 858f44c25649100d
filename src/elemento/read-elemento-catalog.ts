import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LandfallError, messageOf } from "../errors.ts";
import { isObject } from "../model/json.ts";
import type { PciDevice } from "./api/types.ts";

export interface Flavour {
  readonly vcpus: number;
  readonly memoryGiB: number;
  readonly overprovision: number;
  readonly flags: readonly string[];
  readonly pci: readonly PciDevice[];
}

/** catalog/elemento.json, catalog/elemento-targets.json, and Elemento's places of catalog/places.json. */
export interface ElementoCatalog {
  readonly flavours: Readonly<Record<string, Flavour>>;
  readonly providers: Readonly<Record<string, { readonly services: readonly string[] }>>;
  /** Name of an image -> where Elemento downloads it from. */
  readonly images: Readonly<Record<string, string>>;
  /** Provider behind Elemento -> its regions in its own words, as far as Landfall places workloads there. */
  readonly regions: Readonly<Record<string, readonly string[]>>;
}

/** How Landfall writes a region: `de/fra` and `ITBG-Bergamo` have no place in the name of one of its places. */
export const slugOf = (region: string): string => region.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** The provider's own word for a region that an object may name in Landfall's way; null where it names none. */
export function regionWord({ regions }: ElementoCatalog, provider: string, region: string | undefined): string | null {
  if (region === undefined) return null;
  return regions[provider]?.find((word) => slugOf(word) === slugOf(region)) ?? region;
}

async function readJson(path: string, fields: readonly string[]): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (isObject(value) && fields.every((field) => isObject(value[field]))) return value;
  } catch (thrown) {
    throw new LandfallError("BUNDLE_DATA", { ref: path, detail: messageOf(thrown) }, thrown);
  }
  throw new LandfallError("BUNDLE_DATA", { ref: path, detail: `it lacks one of ${fields.join(", ")}` });
}

function regionsOf(places: Record<string, unknown>): Record<string, string[]> {
  const regions: Record<string, string[]> = {};
  for (const place of Object.values(places)) {
    const elemento = isObject(place) ? place["elemento"] : undefined;
    if (isObject(elemento)) (regions[String(elemento["provider"])] ??= []).push(String(elemento["region"]));
  }
  return regions;
}

/** Reads what the operator needs of the folder `catalog`. Throws BUNDLE_DATA. */
export async function readElementoCatalog(catalog: string): Promise<ElementoCatalog> {
  const [sizes, targets, { places }] = await Promise.all([
    readJson(join(catalog, "elemento.json"), ["flavours"]),
    readJson(join(catalog, "elemento-targets.json"), ["providers", "images"]),
    readJson(join(catalog, "places.json"), ["places"]),
  ]);
  return { ...sizes, ...targets, regions: regionsOf(isObject(places) ? places : {}) } as unknown as ElementoCatalog;
}
