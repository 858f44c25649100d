import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LandfallError, messageOf } from "../errors.ts";
import { isObject, textOf } from "../model/json.ts";
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
  /** Image name -> URL from which Elemento downloads it. */
  readonly images: Readonly<Record<string, string>>;
  /** Provider behind Elemento -> its own names of the regions where Landfall places workloads. */
  readonly regions: Readonly<Record<string, readonly string[]>>;
}

/** Landfall's notation of a region: its place names have neither slashes nor capitals (`de/fra`, `ITBG-Bergamo`). */
export const slugOf = (region: string): string => region.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** The provider's own name of a region in Landfall's notation; null for none. */
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
    if (isObject(elemento)) (regions[textOf(elemento["provider"])] ??= []).push(textOf(elemento["region"]));
  }
  return regions;
}

/** Reads the operator's part of the folder `catalog`. Throws BUNDLE_DATA. */
export async function readElementoCatalog(catalog: string): Promise<ElementoCatalog> {
  const [sizes, targets, { places }] = await Promise.all([
    readJson(join(catalog, "elemento.json"), ["flavours"]),
    readJson(join(catalog, "elemento-targets.json"), ["providers", "images"]),
    readJson(join(catalog, "places.json"), ["places"]),
  ]);
  return { ...sizes, ...targets, regions: regionsOf(isObject(places) ? places : {}) } as unknown as ElementoCatalog;
}
