/** A type in one region. */
export interface Offer {
  /** Index in the bundle's table of types. */
  id: number;
  name: string;
  vcpus: number;
  memoryGiB: number;
  price: number | null;
  reference: number | null;
}

const unknownLast = (value: number | null): number => value ?? Infinity;

function compare(a: Offer, b: Offer): number {
  const keys = [unknownLast(a.price), unknownLast(a.reference), a.vcpus, a.memoryGiB];
  const others = [unknownLast(b.price), unknownLast(b.reference), b.vcpus, b.memoryGiB];
  const index = keys.findIndex((key, at) => key !== others[at]);
  if (index === -1) return a.name < b.name ? -1 : 1;
  return (keys[index] ?? 0) - (others[index] ?? 0);
}

/** The whole numbers of one cell: `(limit / 2, limit]`, and 1 alone in the first. */
interface Range {
  least: number;
  most: number;
}

const range = (exponent: number): Range => ({
  least: exponent === 0 ? 1 : 2 ** (exponent - 1) + 1,
  most: 2 ** exponent,
});

/** The offers that are the cheapest adequate one for some request of the cell, cheapest first. */
function cell(offers: Offer[], cpu: Range, memory: Range): number[] {
  const kept: Offer[] = [];
  for (const offer of offers) {
    if (offer.vcpus < cpu.least || offer.memoryGiB < memory.least) continue;
    const vcpus = Math.min(offer.vcpus, cpu.most);
    const memoryGiB = Math.min(offer.memoryGiB, memory.most);
    if (kept.some((other) => other.vcpus >= vcpus && other.memoryGiB >= memoryGiB)) continue;
    kept.push(offer);
    if (vcpus === cpu.most && memoryGiB === memory.most) break;
  }
  return kept.map(({ id }) => id);
}

const exponents = (largest: number): number[] =>
  Array.from({ length: Math.ceil(Math.log2(Math.max(1, largest))) + 1 }, (_, exponent) => exponent);

/**
 * For every cell of a grid of powers of two (vCPU × GiB), the ids of the offers that can be the cheapest adequate one:
 * the policy then examines one to four types instead of all. Types without a published price come last, in the order of
 * their reference price.
 */
export function sizeCells(offers: Offer[]): number[][][] {
  const sorted = [...offers].sort(compare);
  const cpus = exponents(Math.max(0, ...offers.map(({ vcpus }) => vcpus)));
  const memories = exponents(Math.max(0, ...offers.map(({ memoryGiB }) => memoryGiB)));
  return cpus.map((cpu) => memories.map((memory) => cell(sorted, range(cpu), range(memory))));
}
