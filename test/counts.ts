/** Results of a part of the tests. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export const sumCounts = (parts: readonly Counts[]): Counts => ({
  passed: parts.reduce((sum, part) => sum + part.passed, 0),
  failed: parts.reduce((sum, part) => sum + part.failed, 0),
  skipped: parts.reduce((sum, part) => sum + part.skipped, 0),
});

/** The last line of `npm test`, which machines read. */
export const countsLine = (counts: Counts): string =>
  `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
