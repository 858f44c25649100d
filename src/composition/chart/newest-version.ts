const STABLE = /^v?(\d+)\.(\d+)\.(\d+)(?:[+_].*)?$/;

const numbersOf = (version: string): number[] | null => STABLE.exec(version)?.slice(1, 4).map(Number) ?? null;

function isNewer(version: readonly number[], other: readonly number[]): boolean {
  const at = version.findIndex((number, index) => number !== other[index]);
  return at >= 0 && Number(version[at]) > Number(other[at]);
}

/** The newest of these versions, without pre-releases; null for none. */
export function newestVersion(versions: Iterable<string>): string | null {
  let newest: { version: string; numbers: number[] } | null = null;
  for (const version of versions) {
    const numbers = numbersOf(version);
    if (numbers !== null && (newest === null || isNewer(numbers, newest.numbers))) newest = { version, numbers };
  }
  return newest?.version ?? null;
}
