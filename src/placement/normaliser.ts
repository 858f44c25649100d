/** An unknown figure is this much worse than the worst known one. */
const UNKNOWN_FACTOR = 1.001;

/**
 * How to make figures of one kind comparable with those of another: each divided by the mean of the known ones. An
 * unknown figure counts a little more than the worst known one, so that a missing price or zone is never an advantage.
 */
export function normaliser(values: readonly (number | null)[]): (value: number | null) => number {
  let [sum, count, worst] = [0, 0, 0];
  for (const value of values) {
    if (value === null) continue;
    sum += value;
    count += 1;
    if (value > worst) worst = value;
  }
  if (count === 0 || sum <= 0) return () => 0;
  const mean = sum / count;
  return (value) => (value ?? worst * UNKNOWN_FACTOR) / mean;
}
