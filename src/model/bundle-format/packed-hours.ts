/** Months of the year times hours of the week. */
export const YEAR_HOURS = 12 * 168;

/**
 * Packs a profile by month and hour of the week, as in a bundle: integer gCO2eq/kWh, delta-encoded, zigzag-coded (0,
 * -1, 1, -2 …) in groups of seven bits, least significant first, in base64. A bundle has 40 zones of them.
 */
export function packHours(values: readonly number[]): string {
  const bytes: number[] = [];
  let before = 0;
  for (const value of values) {
    const difference = Math.round(value) - before;
    before += difference;
    let rest = difference < 0 ? -2 * difference - 1 : 2 * difference;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(128 + (rest % 128));
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString("base64");
}

/** Unpacks to gCO2eq/kWh; null if the text was not packed by `packHours` for a year. */
export function unpackHours(text: string): Uint16Array | null {
  const bytes = Buffer.from(text, "base64");
  const values = new Uint16Array(YEAR_HOURS);
  let [count, value, group, scale] = [0, 0, 0, 1];
  for (const byte of bytes) {
    group += (byte % 128) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    value += group % 2 === 0 ? group / 2 : -(group + 1) / 2;
    if (value < 0 || value > 65_535 || count === YEAR_HOURS) return null;
    values[count++] = value;
    [group, scale] = [0, 1];
  }
  return count === YEAR_HOURS && scale === 1 ? values : null;
}
