import type { RunningSize } from "./system-secrets.ts";

/** The provider of a place; empty for none. */
export const providerOf = (place: string | null): string => (place ?? "").split("/")[0] ?? "";

/**
 * Sizes that a release runs or may run, by provider, in their order. At one provider they are of one machine, or one cluster: its objects have one name, and no operator makes
 * a second machine for one of them. Kinds differ between providers, so those of several providers run side by side.
 */
export function byProvider<T extends { place: string | null }>(sizes: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const size of sizes) {
    const provider = providerOf(size.place);
    found.set(provider, [...(found.get(provider) ?? []), size]);
  }
  return found;
}

export type Amounts = Pick<RunningSize, "vcpus" | "memoryGiB" | "pricePerHour">;

/** The larger price; null only if neither is known. */
export const largerPrice = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);

/** The largest amounts of the sizes of one machine. */
export const largestOf = (sizes: readonly Amounts[]): Amounts => ({
  vcpus: Math.max(0, ...sizes.map(({ vcpus }) => vcpus)),
  memoryGiB: Math.max(0, ...sizes.map(({ memoryGiB }) => memoryGiB)),
  pricePerHour: sizes.map(({ pricePerHour }) => pricePerHour).reduce(largerPrice, null),
});

/** The sum of machines that run side by side. A price that is not known adds nothing. */
export const sumOf = (machines: readonly Amounts[]): Amounts => ({
  vcpus: machines.reduce((sum, { vcpus }) => sum + vcpus, 0),
  memoryGiB: machines.reduce((sum, { memoryGiB }) => sum + memoryGiB, 0),
  pricePerHour: machines
    .map(({ pricePerHour }) => pricePerHour)
    .reduce((sum, price) => (sum === null || price === null ? (sum ?? price) : sum + price), null),
});
