/** The value of all further values. */
export const OTHER = "other";

/**
 * Limits the values of a label that come from outside, such as codes of a team's rules: the first `most` of them stand for themselves, all
 * others are `other`. Each value is a series, which Prometheus keeps for weeks.
 */
export function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return OTHER;
    known.add(value);
    return value;
  };
}
