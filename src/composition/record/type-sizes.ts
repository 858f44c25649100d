import { createRequire } from "node:module";
import { ownValue } from "../../model/json.ts";

interface Size {
  vcpus: number;
  memoryGiB: number;
}

type Sizes = Readonly<Record<string, Size>>;

/** The sizes of one provider's types, and the largest amounts of any of them. */
interface ProviderSizes {
  types: Sizes;
  largest: Size;
}

const load = createRequire(import.meta.url);

const readTypes = (): Readonly<Record<string, { types: Sizes }>> =>
  (load("../../../catalog/instance-types.json") as { providers: Record<string, { types: Sizes }> }).providers;

const readFlavours = (): Sizes => (load("../../../catalog/elemento.json") as { flavours: Sizes }).flavours;

function withLargest(types: Sizes): ProviderSizes {
  const all = Object.values(types);
  const most = (amount: keyof Size): number => Math.max(0, ...all.map((size) => size[amount]));
  return { types, largest: { vcpus: most("vcpus"), memoryGiB: most("memoryGiB") } };
}

let known: ReadonlyMap<string, ProviderSizes> | null = null;

/** 645 kB of JSON: read once, when the first type is asked for. */
function sizesOf(provider: string): ProviderSizes | undefined {
  known ??= new Map([
    ...Object.entries(readTypes()).map(([name, { types }]) => [name, withLargest(types)] as const),
    ["elemento", withLargest(readFlavours())] as const,
  ]);
  return known.get(provider);
}

/** vCPU and GiB of a machine type; null for one that the shipped catalog does not know. */
export const listedSize = (provider: string, type: string): Size | null =>
  ownValue(sizesOf(provider)?.types ?? {}, type) ?? null;

/**
 * vCPU and GiB of a machine type, by the catalog that Landfall ships. A type that it does not know is as large as the largest of its provider, so that an unlisted
 * name never counts less than it runs. Null for another provider.
 */
export function typeSize(provider: string, type: string): Size | null {
  const sizes = sizesOf(provider);
  return sizes === undefined ? null : (ownValue(sizes.types, type) ?? sizes.largest);
}
